"""Blind signatures, which separate answers from the invitations of respondents.

The receiver signs a receipt that it cannot see.

The form draws a receipt, hides it by a random factor, and sends it with the invitation code. The receiver signs one hidden receipt
for each code. The form removes the factor, and later sends the receipt and its signature with the answer. The factor is uniform and
never leaves the form. Every receipt therefore matches every hidden receipt equally well, regardless of what the receiver stores.

Source: Chaum (1983), Blind signatures for untraceable payments; RFC 9474, RSABSSA-SHA384-PSSZERO-Deterministic. The receipt itself
is random and therefore needs no salt and no random prefix.
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
    """Return a private key as PEM, drawn with the operating system's random number generator."""
    key = rsa.generate_private_key(public_exponent=_EXPONENT, key_size=KEY_BITS)
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode("ascii")


class Signer:
    """A signer of hidden receipts, which also verifies signatures.

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
        """Modulus of the public key in hexadecimal digits. The exponent is 65537."""
        return f"{self._n:x}"

    def takes(self, hidden: bytes) -> bool:
        """Return True if ``hidden`` can be a hidden receipt.

        A hidden receipt has ``KEY_BYTES`` bytes, and is a number from 1 to below the modulus.
        """
        return len(hidden) == KEY_BYTES and 0 < int.from_bytes(hidden, "big") < self._n

    def sign(self, hidden: bytes) -> bytes:
        """Return the signature of a hidden receipt.

        The hidden receipt is first multiplied by a random number, so that the computing time reveals nothing about the key. The
        power is computed separately for each prime. A signature is returned only if it verifies.
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
        """Return True if ``signature`` is a signature of ``receipt`` by this key."""
        try:
            self._public.verify(signature, receipt, _SCHEME, hashes.SHA384())
        except InvalidSignature:
            return False
        return True
