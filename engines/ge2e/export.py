# Writes the encoder of Resemblyzer 0.1.4 as a graph with weights of 16 bits:
#   python3 export.py pretrained.pt files/ge2e.onnx
# It needs the packages onnx 1.23 and numpy, and the file `pretrained.pt` of the package resemblyzer. PyTorch is not needed.
import json
import pickle
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Ordered(dict):
    """Stands for a class that keeps attributes beside its items."""


class Reader(pickle.Unpickler):
    """Reads the weights alone: it calls nothing that the file names."""

    def find_class(self, module, name):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, size, *_: (storage, offset, size)
        return Ordered if name == "OrderedDict" else str

    def persistent_load(self, saved):
        return saved[2]


def read_weights(path):
    with open(path, "rb") as file:
        for _ in range(3):
            pickle.load(file)  # magic number, version and machine
        state = Reader(file).load()["model_state"]
        stored = {}
        for key in pickle.load(file):
            (length,) = struct.unpack("<q", file.read(8))
            stored[key] = np.frombuffer(file.read(4 * length), "<f4")
    return {
        name: stored[key][offset : offset + int(np.prod(size))].reshape(size)
        for name, (key, offset, size) in state.items()
    }


def gates(weights):
    """PyTorch has the gates in the order i, f, g, o and ONNX i, o, f, c."""
    i, f, g, o = np.split(weights, 4)
    return np.concatenate([i, o, f, g])


weights = read_weights(sys.argv[1])
nodes, stored = [], []


def add(name, values):
    stored.append(numpy_helper.from_array(values.astype(np.float16), name + "16"))
    nodes.append(helper.make_node("Cast", [name + "16"], [name], to=TensorProto.FLOAT))


nodes.append(helper.make_node("Transpose", ["mels"], ["x0"], perm=[1, 0, 2]))
for n in range(3):
    get = lambda kind: gates(weights[f"lstm.{kind}_l{n}"])
    add(f"w{n}", get("weight_ih")[None])
    add(f"r{n}", get("weight_hh")[None])
    add(f"b{n}", np.concatenate([get("bias_ih"), get("bias_hh")])[None])
    outputs = [f"y{n}"] if n < 2 else ["", "y2"]
    nodes.append(helper.make_node("LSTM", [f"x{n}", f"w{n}", f"r{n}", f"b{n}"], outputs, hidden_size=256))
    nodes.append(helper.make_node("Squeeze", [f"y{n}", "one" if n < 2 else "zero"], [f"x{n + 1}"]))
for name, axis in [("zero", 0), ("one", 1)]:
    stored.append(numpy_helper.from_array(np.array([axis], np.int64), name))
add("w", weights["linear.weight"])
add("b", weights["linear.bias"])
# What all voices have in common says nothing about one of them, and it differs with the microphone.
centre = 0.9 * np.array(json.loads(Path(__file__).with_name("centre.json").read_text()), np.float32)
stored.append(numpy_helper.from_array(centre, "centre"))
nodes += [
    helper.make_node("Gemm", ["x3", "w", "b"], ["linear"], transB=1),
    helper.make_node("Relu", ["linear"], ["positive"]),
    helper.make_node("LpNormalization", ["positive"], ["embedding"], axis=1, p=2),
    helper.make_node("Sub", ["embedding", "centre"], ["centred"]),
    helper.make_node("LpNormalization", ["centred"], ["voice"], axis=1, p=2),
]
tensor = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
graph = helper.make_graph(
    nodes, "ge2e", [tensor("mels", ["voices", "frames", 40])], [tensor(name, ["voices", 256]) for name in ("embedding", "voice")], stored
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, sys.argv[2])
