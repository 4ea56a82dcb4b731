/** Tests that speak and recognize for minutes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = [
  'src/diarizer/diarizer{,-engine}.test.ts',
  'src/flite/flite-{engine,engine-stop,engine-texts,manner}.test.ts',
  'src/flite/wasi-command.test.ts',
  'src/threads/{thread,worker-process}.test.ts',
  'src/pocketsphinx/recognition-*.test.ts',
  'src/voice-design/sample-analyser.test.ts',
  'test/{contract,diarization*,voice-design}.test.ts',
]
