"""Makes the two graphs of this package from the voice `en_US-joe-medium.onnx` of Piper.

    python make-graphs.py en_US-joe-medium.onnx OUTPUT_FOLDER      (Python 3.11, onnx 1.23.2, numpy 2.4.6)

What changes, and why:
- The graph is cut before its vocoder. `plan.onnx` makes frames from phonemes, with their durations; `sound.onnx` makes
  samples from any window of the frames. Sound can begin, and can be aborted, in the middle of a sentence.
- Noise comes from a table. The same text then has the same sound and the same length.
- `scales[1]` stretches whole durations, whose sum is rounded once. The length of a sentence follows it to the frame.
- Weights have 16 bits. The graph widens them when it loads.
"""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

source, folder = sys.argv[1:3]
FRAMES = '/Mul_7_output_0'
SAMPLES = '/dec/Tanh_output_0'
NOISE_LENGTH = 65521  # A prime: no two channels get the same noise.

model = onnx.load(source)
graph = model.graph


def constant(name, value):
    graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def replace(op_type, name, nodes):
    index = next(i for i, node in enumerate(graph.node) if node.op_type == op_type and node.name == name)
    del graph.node[index]
    for node in reversed(nodes):
        graph.node.insert(index, node)


table = np.random.default_rng(49).standard_normal(NOISE_LENGTH).astype(np.float32)
constant('noise', table)
zero, one, flat = constant('zero', np.int64(0)), constant('one', np.int64(1)), constant('flat', np.array([0], np.int64))
length = constant('noise_length', np.int64(NOISE_LENGTH))
for node in [node for node in graph.node if node.op_type == 'RandomNormalLike']:
    p = node.name
    replace('RandomNormalLike', p, [
        helper.make_node('Shape', [node.input[0]], [p + '_shape']),
        helper.make_node('ReduceProd', [p + '_shape'], [p + '_count'], keepdims=0),
        helper.make_node('Range', [zero, p + '_count', one], [p + '_at']),
        helper.make_node('Mod', [p + '_at', length], [p + '_index']),
        helper.make_node('Gather', ['noise', p + '_index'], [p + '_values']),
        helper.make_node('Reshape', [p + '_values', p + '_shape'], [node.output[0]]),
    ])

axis = next(node.input[1] for node in graph.node if node.name == '/CumSum')
stretch = '/Gather_1_output_0'
replace('Ceil', '/Ceil', [
    helper.make_node('Ceil', ['/Mul_output_0'], ['whole']),
    helper.make_node('Mul', ['whole', stretch], ['stretched']),
    helper.make_node('CumSum', ['stretched', axis], ['ends']),
    helper.make_node('CumSum', ['stretched', axis], ['starts'], exclusive=1),
    helper.make_node('Round', ['ends'], ['end_frames']),
    helper.make_node('Round', ['starts'], ['start_frames']),
    helper.make_node('Sub', ['end_frames', 'start_frames'], ['durations']),
])
replace('Mul', '/Mul_1', [])
for node in graph.node:
    for i, name in enumerate(node.input):
        if name == '/Ceil_output_0':
            node.input[i] = 'durations'


def rename(part, old, new):
    for node in part.graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name == old:
                    names[i] = new


def part(inputs, outputs):
    """The nodes between these tensors, with their weights."""
    made = {name: node for node in graph.node for name in node.output}
    kept, wanted = set(), list(outputs)
    while wanted:
        name = wanted.pop()
        if name in inputs or name not in made or id(made[name]) in kept:
            continue
        kept.add(id(made[name]))
        wanted.extend(made[name].input)
    nodes = [node for node in graph.node if id(node) in kept]
    used = {name for node in nodes for name in node.input}
    cut = onnx.ModelProto()
    cut.CopyFrom(model)
    del cut.graph.node[:], cut.graph.initializer[:], cut.graph.input[:], cut.graph.output[:], cut.graph.value_info[:]
    cut.graph.node.extend(nodes)
    cut.graph.initializer.extend(weight for weight in graph.initializer if weight.name in used)
    return cut


def halve(cut):
    weights, casts = [], []
    for weight in cut.graph.initializer:
        if weight.data_type == TensorProto.FLOAT and np.prod(weight.dims) > 256:
            half = numpy_helper.to_array(weight).astype(np.float16)
            weights.append(numpy_helper.from_array(half, weight.name + '_half'))
            casts.append(helper.make_node('Cast', [weight.name + '_half'], [weight.name], to=TensorProto.FLOAT))
        else:
            weights.append(weight)
    nodes = list(cut.graph.node)
    del cut.graph.initializer[:], cut.graph.node[:]
    cut.graph.initializer.extend(weights)
    cut.graph.node.extend(casts + nodes)


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


plan = part(set(), [FRAMES, 'durations'])
rename(plan, FRAMES, 'frames')
plan.graph.input.extend(value for value in graph.input)
plan.graph.output.extend([
    info('frames', TensorProto.FLOAT, [1, 192, 'frames']),
    info('durations', TensorProto.FLOAT, [1, 1, 'phonemes']),
])
sound = part({FRAMES}, [SAMPLES])
rename(sound, FRAMES, 'frames')
rename(sound, SAMPLES, 'samples')
sound.graph.input.extend([info('frames', TensorProto.FLOAT, [1, 192, 'frames'])])
sound.graph.output.extend([info('samples', TensorProto.FLOAT, [1, 1, 'samples'])])
for name, cut in (('plan', plan), ('sound', sound)):
    halve(cut)
    onnx.checker.check_model(cut)
    onnx.save(cut, f'{folder}/{name}.onnx')
