/** Tests that load models in processes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/sherpa-onnx.test.ts']
