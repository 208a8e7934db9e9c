"""Reads ZIP archives from outside without letting them fill memory or disk.

A few megabytes of ZIP can grow a thousandfold, and the sizes that an archive declares can be wrong.
So callers check the declared sizes first, and entries are read in chunks up to a limit. The
functions raise `TooLarge`.
"""

import zipfile
from collections.abc import Collection

CENTRAL_HEADER = b"PK\x01\x02"  # begins each entry in an archive's directory
# Limit of unpacked to packed size: deflate reaches 1032, exports of studies stay below 50.
MAX_RATIO = 200
MIN_RATIO_BYTES = 1_000_000  # entries that unpack to fewer bytes may have any ratio
CHUNK_BYTES = 1 << 20


class TooLarge(ValueError):
    """The archive is larger, or has more entries, than permitted. The message says which."""


def check_directory(content: bytes, max_entries: int) -> None:
    """Check the number of an archive's entries, before `zipfile` reads its directory."""
    if (count := content.count(CENTRAL_HEADER)) > max_entries:
        raise TooLarge(f"it has {count} entries, and {max_entries} are read at most")


def check_sizes(entries: Collection[zipfile.ZipInfo], max_bytes: int) -> None:
    """Check the declared sizes of all entries together, and the compression of each."""
    total = sum(entry.file_size for entry in entries)
    if total > max_bytes:
        raise TooLarge(
            f"it would unpack to {megabytes(total)}, and {megabytes(max_bytes)} are read at most"
        )
    for entry in entries:
        if entry.file_size > max(MIN_RATIO_BYTES, MAX_RATIO * entry.compress_size):
            raise TooLarge(
                f"{entry.filename} would grow from {entry.compress_size} bytes to "
                f"{entry.file_size}, more than {MAX_RATIO} times"
            )


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo | str, max_bytes: int) -> bytes:
    """Unpack one entry of at most `max_bytes`, in chunks.

    `ZipFile.read` would unpack an entry completely before it compares the sizes.
    """
    chunks, bytes_left = [], max_bytes
    with archive.open(entry) as stream:
        while chunk := stream.read(min(CHUNK_BYTES, bytes_left + 1)):
            bytes_left -= len(chunk)
            if bytes_left < 0:
                name = entry if isinstance(entry, str) else entry.filename
                raise TooLarge(f"{name} unpacks to more than {megabytes(max_bytes)}")
            chunks.append(chunk)
    return b"".join(chunks)


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
