/** Tests that encode, decode or recognize for minutes. `test:service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = [
  'test/codec/**/*.test.ts',
  'test/transcription-sources.test.ts',
  'test/transcription-formats.test.ts',
  'test/transcription-keyterms.test.ts',
  'test/transcription-speakers.test.ts',
  'test/diarization*.test.ts',
  'test/hostile.test.ts',
  'test/crash/**/*.test.ts',
  'test/loud/**/*.test.ts',
  'test/postgres/postgres.test.ts',
  'test/s3/**/*.test.ts',
  'test/cluster/**/*.test.ts',
  'test/faults/**/*.test.ts',
]
