/** Tests that encode, decode, recognize or start services for minutes. `test:service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = [
  'test/add-an-{endpoint,engine}.test.ts',
  'test/codec/**/*.test.ts',
  'test/transcription-sources.test.ts',
  'test/transcription-formats.test.ts',
  'test/transcription-keyterms.test.ts',
  'test/transcription-speakers.test.ts',
  'test/transcription-nothing.test.ts',
  'test/voice-samples.test.ts',
  'test/full-*.test.ts',
  'test/{admin,audit,bad-mornings,cli,data-folder,engines,operations}.test.ts',
  'test/{limits,operators,operator-lists,engine-processes}.test.ts',
  'test/{default-limits,stalled-readers,transcriptions}.test.ts',
  'test/voice{s,-generations,-keys}.test.ts',
  'test/hostile{,-connections}.test.ts',
  'test/answer-listeners.test.ts',
  'test/openai-{api,load,transcriptions}.test.ts',
  'test/upstream-{engines,faults}.test.ts',
  'test/checked-configurations.test.ts',
  'test/crash/**/*.test.ts',
  'test/loud/**/*.test.ts',
  'test/postgres/{pglite,postgres,claims,shares,sweep-by-rows,tls}.test.ts',
  'test/s3/**/*.test.ts',
  'test/cluster/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/store-faults/**/*.test.ts',
]

/** Tests under load and faults that `soak:service` runs instead of `test:service`, which includes them otherwise. */
export const SOAK_TESTS: readonly string[] = [
  'test/cluster/chaos/**/*.test.ts',
  'test/cluster/{clocks,failover}.test.ts',
  'test/crash/{crash,crash-loop}.test.ts',
  'test/faults/under-faults.test.ts',
  'test/loud/**/*.test.ts',
  'test/full-inodes.test.ts',
  'test/openai-load.test.ts',
]
