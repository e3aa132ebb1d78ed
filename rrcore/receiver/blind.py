"""Blind signatures: the receiver signs a receipt that it cannot see, so that no answer can be joined with the invitation behind it.

The form draws a receipt, hides it by a random factor and sends it with its invitation code; the receiver signs the hidden receipt once for
each code. The form takes the factor off and later sends receipt and signature with the answer. Every receipt fits every hidden receipt
equally well, whatever the receiver knows or keeps, since the factor is uniform and never leaves the form.

Source: Chaum (1983), Blind signatures for untraceable payments; RFC 9474, RSABSSA-SHA384-PSSZERO-Deterministic (the receipt itself is
random, so that it needs no salt and no random prefix).
"""

import secrets

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

KEY_BITS = 2048
"""Length of the modulus: forging an invitation is only of use until the survey is closed, and hiding does not rest on it at all."""

KEY_BYTES = KEY_BITS // 8
_EXPONENT = 65537
_SCHEME = padding.PSS(padding.MGF1(hashes.SHA384()), salt_length=0)


def new_key() -> str:
    """A private key, drawn from the system's entropy, as PEM."""
    key = rsa.generate_private_key(public_exponent=_EXPONENT, key_size=KEY_BITS)
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode("ascii")


class Signer:
    """Signs hidden receipts and checks signatures of receipts.

    Parameters
    ----------
    pem : str, from ``new_key``
    """

    def __init__(self, pem: str) -> None:
        key = serialization.load_pem_private_key(pem.encode("ascii"), password=None)
        assert isinstance(key, rsa.RSAPrivateKey)
        self._secret = key.private_numbers()
        self._public = key.public_key()
        self._n = self._public.public_numbers().n

    @property
    def modulus(self) -> str:
        """The public key: its modulus in hexadecimal digits; the exponent is 65537."""
        return f"{self._n:x}"

    def takes(self, hidden: bytes) -> bool:
        """Whether ``hidden`` can be a hidden receipt: ``KEY_BYTES`` bytes, a number from 1 to below the modulus."""
        return len(hidden) == KEY_BYTES and 0 < int.from_bytes(hidden, "big") < self._n

    def sign(self, hidden: bytes) -> bytes:
        """The signature of what it ``takes``.

        The power is taken of a number that was multiplied by a random one, so that its time tells nothing about the key, and by the two
        primes apart; a result that does not check is never given out.
        """
        value = int.from_bytes(hidden, "big")
        mask = 1 + secrets.randbelow(self._n - 1)
        masked = value * pow(mask, _EXPONENT, self._n) % self._n
        secret = self._secret
        by_p, by_q = pow(masked, secret.dmp1, secret.p), pow(masked, secret.dmq1, secret.q)
        power = by_q + secret.q * ((by_p - by_q) * secret.iqmp % secret.p)
        signed = power * pow(mask, -1, self._n) % self._n
        if pow(signed, _EXPONENT, self._n) != value:
            raise ArithmeticError("the signature does not check")
        return signed.to_bytes(KEY_BYTES, "big")

    def signed(self, receipt: bytes, signature: bytes) -> bool:
        """Whether ``signature`` is one of ``receipt`` by this key."""
        try:
            self._public.verify(signature, receipt, _SCHEME, hashes.SHA384())
        except InvalidSignature:
            return False
        return True
