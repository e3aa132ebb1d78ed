"use strict";

/**
 * Blind signature of a receipt: RFC 9474, RSABSSA-SHA384-PSSZERO-Deterministic, as in rrcore/receiver/blind_signatures.py.
 *
 * modulus: hexadecimal digits; the exponent is 65537
 * receipt: Uint8Array
 * entropy: entropy(count) gives a Uint8Array of count random bytes
 * returns: a promise of { hidden, reveal }: the hexadecimal digits to sign, and a function that turns their signature into that of the
 *   receipt, or throws if it is invalid
 */
async function hideReceipt(modulus, receipt, entropy) {
  const HASH = 48; // bytes of SHA-384
  const n = BigInt(`0x${modulus}`);
  const bits = n.toString(2).length;
  const size = Math.ceil(bits / 8);

  const sha384 = async (...parts) => {
    const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    parts.reduce((at, part) => (joined.set(part, at), at + part.length), 0);
    return new Uint8Array(await crypto.subtle.digest("SHA-384", joined));
  };
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const number = (bytes) => BigInt(`0x${hex(bytes)}`);
  const digits = (value) => value.toString(16).padStart(2 * size, "0");

  // value to the power of 65537
  function power(value) {
    let result = value;
    for (let i = 0; i < 16; i++) result = (result * result) % n;
    return (result * value) % n;
  }

  // The inverse of value, by the extended Euclidean algorithm, or 0 if there is none.
  function inverse(value) {
    let [a, b, x, y] = [n, value, 0n, 1n];
    while (b > 0n) {
      const quotient = a / b;
      [a, b, x, y] = [b, a - quotient * b, y, x - quotient * y];
    }
    return a === 1n ? ((x % n) + n) % n : 0n;
  }

  // EMSA-PSS of RFC 8017, 9.1.1, without salt.
  async function encoded() {
    const length = Math.ceil((bits - 1) / 8);
    const hash = await sha384(new Uint8Array(8), await sha384(receipt));
    const block = new Uint8Array(length - HASH - 1);
    block[block.length - 1] = 1;
    for (let i = 0; i * HASH < block.length; i++) {
      const mask = await sha384(hash, new Uint8Array([0, 0, 0, i])); // MGF1
      for (let j = 0; j < HASH && i * HASH + j < block.length; j++) block[i * HASH + j] ^= mask[j];
    }
    block[0] &= 0xff >> (8 * length - (bits - 1));
    return number([...block, ...hash, 0xbc]);
  }

  const message = await encoded();
  let factor = 0n;
  let back = 0n;
  while (back === 0n) {
    factor = number(entropy(size));
    back = factor < n ? inverse(factor) : 0n;
  }
  return {
    hidden: digits((message * power(factor)) % n),
    reveal(signed) {
      const signature = (BigInt(`0x${signed}`) * back) % n;
      if (power(signature) !== message) throw new RangeError("the signature does not check");
      return digits(signature);
    },
  };
}
