import protobuf from 'protobufjs'

/** The part of ONNX's format that the test models use. */
const { root } = protobuf.parse(
  `syntax = "proto3"; package onnx;
  message TensorProto { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
  message AttributeProto { string name = 1; int64 i = 3; repeated int64 ints = 8; int32 type = 20; }
  message NodeProto { repeated string input = 1; repeated string output = 2; string op_type = 4;
    repeated AttributeProto attribute = 5; }
  message Dimension { int64 dim_value = 1; string dim_param = 2; }
  message TensorShapeProto { repeated Dimension dim = 1; }
  message TensorType { int32 elem_type = 1; TensorShapeProto shape = 2; }
  message TypeProto { TensorType tensor_type = 1; }
  message ValueInfoProto { string name = 1; TypeProto type = 2; }
  message GraphProto { repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5;
    repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12; }
  message OperatorSetIdProto { string domain = 1; int64 version = 2; }
  message StringStringEntryProto { string key = 1; string value = 2; }
  message ModelProto { int64 ir_version = 1; GraphProto graph = 7; repeated OperatorSetIdProto opset_import = 8;
    repeated StringStringEntryProto metadata_props = 14; }`,
  { keepCase: true },
)

/** Numbers of 32 bits with a fraction, as a graph names them. */
export const FLOAT = 1
/** Whole numbers of 32 bits. */
export const INT32 = 6
/** Whole numbers of 64 bits. */
export const INT64 = 7

const INT_ATTRIBUTE = 2
const INTS_ATTRIBUTE = 7

/** An input or output. A dimension with a name may have any size. */
export function value(name: string, type: number, dims: readonly (string | number)[]): object {
  const dim = dims.map((one) => (typeof one === 'number' ? { dim_value: one } : { dim_param: one }))
  return { name, type: { tensor_type: { elem_type: type, shape: { dim } } } }
}

/** A constant. */
export function floats(name: string, dims: readonly number[], data: readonly number[]): object {
  return { name, dims, data_type: FLOAT, raw_data: new Uint8Array(Float32Array.from(data).buffer) }
}

/** A constant of whole numbers. */
export function ints(name: string, dims: readonly number[], data: readonly number[]): object {
  return { name, dims, data_type: INT64, raw_data: new Uint8Array(BigInt64Array.from(data, BigInt).buffer) }
}

/** An operator. */
export function node(
  operator: string,
  input: readonly string[],
  output: string,
  attributes: Readonly<Record<string, number | readonly number[]>> = {},
): object {
  const attribute = Object.entries(attributes).map(([name, given]) =>
    typeof given === 'number' ? { name, i: given, type: INT_ATTRIBUTE } : { name, ints: given, type: INTS_ATTRIBUTE },
  )
  return { op_type: operator, input, output: [output], attribute }
}

/** A graph. */
export interface Graph {
  readonly input: readonly object[]
  readonly output: readonly object[]
  readonly initializer: readonly object[]
  readonly node: readonly object[]
}

/** The bytes of a model with its metadata. */
export function model(graph: Graph, metadata: Readonly<Record<string, string | number>>): Uint8Array {
  const type = root.lookupType('onnx.ModelProto')
  return type
    .encode(
      type.fromObject({
        ir_version: 8,
        graph: { name: 'test', ...graph },
        opset_import: [{ domain: '', version: 13 }],
        metadata_props: Object.entries(metadata).map(([key, text]) => ({ key, value: String(text) })),
      }),
    )
    .finish()
}
