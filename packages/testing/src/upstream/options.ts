import type { Model, TranscriptionSegment, Voice } from '@svc-audio/core'

/** Options of {@link createTestUpstream}. */
export interface TestUpstreamOptions {
  /** The only accepted key; any other is a 401. @default 'svc-test-key' */
  readonly apiKey?: string
  /** The tenant's voices, or their number. @default 3 */
  readonly voices?: number | readonly Voice[]
  /** Ids of the models. @default every id that the interface names */
  readonly models?: readonly (string | Model)[]
  /** Length of all speech, in seconds. @default 0.5 */
  readonly speechSeconds?: number
  /** Bytes of PCM in one event or chunk of a speech stream. @default 4800, 100 ms */
  readonly chunkBytes?: number
  /** Whether event streams start with `task.created`; some access paths omit it for speech. @default true */
  readonly taskCreated?: boolean
  /** Text of every transcription, except diarized ones: see {@link TestUpstreamOptions.segments}. */
  readonly transcript?: string
  /** Segments of diarized transcriptions. @default two speakers with one sentence each */
  readonly segments?: readonly TranscriptionSegment[]
  /**
   * Polls until a task ends: the last poll answers `SUCCESS`, the others `PENDING` or `PROCESSING`. `Infinity` waits
   * for `completeTask()`. @default 2
   */
  readonly polls?: number
  /** `retry_after` of an unfinished task, in seconds; `undefined` omits it. @default 0, so tests do not wait */
  readonly retryAfter?: number | undefined
  /** Signs webhooks as in Standard Webhooks: base64, with or without the prefix `whsec_`. @default unsigned */
  readonly webhookSecret?: string
  /** Changes the URL of results, for example to another origin. @default unchanged */
  readonly resultUrl?: (url: URL) => URL | string
  /** Largest body and largest uploaded file that a recorded request stores, in bytes. @default 1048576 */
  readonly keepBytes?: number
  /** Clock of all timestamps, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** The default key. */
export const TEST_API_KEY = 'svc-test-key'

/** Options with their defaults. */
export type FullOptions = Required<Omit<TestUpstreamOptions, 'webhookSecret' | 'retryAfter'>> &
  Pick<TestUpstreamOptions, 'webhookSecret' | 'retryAfter'>

const DEFAULTS: FullOptions = {
  apiKey: TEST_API_KEY,
  voices: 3,
  models: [],
  speechSeconds: 0.5,
  chunkBytes: 4800,
  taskCreated: true,
  transcript: 'Good morning, this is a test.',
  segments: [
    { type: 'transcript.text.segment', id: 'seg-1', start: 0, end: 1.5, text: 'Good morning.', speaker: 'S01' },
    { type: 'transcript.text.segment', id: 'seg-2', start: 1.5, end: 3, text: 'Welcome back.', speaker: 'S02' },
  ],
  polls: 2,
  retryAfter: 0,
  resultUrl: (url) => url,
  keepBytes: 1024 * 1024,
  now: Date.now,
}

/** @throws RangeError if `polls` or `chunkBytes` is below 1 */
export function fullOptions(options: TestUpstreamOptions): FullOptions {
  const full = { ...DEFAULTS, ...options }
  if (!(full.polls >= 1)) throw new RangeError(`\`polls\` must be 1 or more, got ${full.polls}`)
  if (!(full.chunkBytes >= 1)) throw new RangeError(`\`chunkBytes\` must be 1 or more, got ${full.chunkBytes}`)
  return full
}
