/** Tests of a package that `test` leaves out. Patterns from its folder. */
export interface SlowTests {
  /** Minutes in all: they encode, decode, recognize or start services. `suite service` runs them. */
  readonly service?: readonly string[]
  /** Load, faults and many browsers. `suite matrix` or a suite of the night runs them, also when `service` names them. */
  readonly nightly?: readonly string[]
}

/** The slow tests by package. */
export const SLOW_TESTS: Readonly<Record<string, SlowTests>> = {
  'apps/conformance': {
    service: ['test/{service,drivers,faults}.test.ts'],
    nightly: ['test/drivers.test.ts'],
  },
  'apps/playground': {
    service: ['test/{demo,server}.test.ts'],
    nightly: ['test/{browser,both}/**/*.test.ts'],
  },
  'apps/service': {
    service: [
      'src/cli/eval/run-eval.test.ts',
      'src/drivers/codec/{limits,run-ffmpeg,system-launcher}.test.ts',
      'src/workers/workers.test.ts',
      'test/add-an-{endpoint,engine}.test.ts',
      'test/{cancel,results,traces}.test.ts',
      'test/{client-leaves,deploy,http-edges,logs,trust-proxy,unread-bodies}.test.ts',
      'test/{dialogue-flow,restart,speech,stalled-writers,transcriptions}.test.ts',
      'test/idempotency{,-repeats}.test.ts',
      'test/ports/sqlite.test.ts',
      'test/codec/**/*.test.ts',
      'test/full-*.test.ts',
      'test/{admin,audit,bad-mornings,cli,engines,operations}.test.ts',
      'test/{limits,operators,operator-lists,engine-processes}.test.ts',
      'test/{default-limits,stalled-readers,webhook-receivers}.test.ts',
      'test/hostile{,-connections}.test.ts',
      'test/response-listeners.test.ts',
      'test/openai-{api,live,load,transcriptions}.test.ts',
      'test/upstream-{engines,faults}.test.ts',
      'test/far-{answers,outages,times}.test.ts',
      'test/checked-configurations.test.ts',
      'test/crash/**/*.test.ts',
      'test/loud/**/*.test.ts',
      'test/postgres/{pglite,postgres,claims,webhook-claims,shares,sweep-by-rows,tls}.test.ts',
      'test/s3/**/*.test.ts',
      'test/cluster/**/*.test.ts',
      'test/faults/**/*.test.ts',
      'test/store-faults/**/*.test.ts',
    ],
    nightly: [
      'test/cluster/chaos/**/*.test.ts',
      'test/cluster/{clocks,failover}.test.ts',
      'test/crash/{crash,crash-loop}.test.ts',
      'test/faults/under-faults.test.ts',
      'test/loud/**/*.test.ts',
      'test/full-inodes.test.ts',
      'test/openai-load.test.ts',
      'test/store-faults/every-store-fault.test.ts',
    ],
  },
  'engines/bundled': {
    service: [
      'src/diarizer/{diarizer,diarizer-engine,voice-encoder}.test.ts',
      'src/flite/flite-{engine,engine-stop,engine-texts,manner}.test.ts',
      'src/flite/wasi-command.test.ts',
      'src/threads/{thread,worker-process}.test.ts',
      'src/moonshine/recognition-*.test.ts',
      'src/voice-design/sample-analyser.test.ts',
      'test/{contract,diarization*,voice-design}.test.ts',
    ],
  },
  'engines/espeak-ng': {
    service: ['src/espeak-engine.test.ts', 'test/espeak-ng.test.ts'],
  },
  'engines/moonshine-en': {
    service: ['build/rewrite-module.test.ts'],
  },
  'engines/openai': {
    nightly: ['test/long-recording.test.ts'],
  },
  'engines/pocketsphinx-en': {
    service: ['build/rewrite-module.test.ts'],
  },
  'engines/ports': {
    service: ['src/listening/speech-gate.test.ts'],
  },
  'engines/sherpa-onnx': {
    service: ['test/sherpa-onnx.test.ts'],
  },
  'engines/silero-vad': {
    service: ['build/rewrite-module.test.ts'],
  },
  'packages/ai-sdk': {
    service: ['test/service.test.ts'],
  },
  'packages/cli': {
    service: ['test/command.test.ts'],
  },
  'packages/express-middleware': {
    service: ['test/{disconnects,memory,service}.test.ts'],
  },
  'packages/langchain-tools': {
    service: ['test/{agent,every-tool}.test.ts'],
  },
  'packages/mcp': {
    service: ['test/command.test.ts', 'test/bundle.test.ts'],
  },
  'packages/n8n-nodes': {
    service: ['test/{examples,memory-mode,package,tool,workflow}.test.ts'],
  },
  'packages/nestjs': {
    service: ['test/{memory,service,shutdown}.test.ts'],
  },
  'packages/vite-plugin': {
    service: ['src/audio/loudness.test.ts', 'test/{diff,exit-codes,processes,service}.test.ts'],
    // in Firefox too, at each tenth of a second
    nightly: ['test-hosts/slow-line.test.ts'],
  },
}
