export { createTestClock, type TestClock } from './test-clock.ts'
export {
  audioBytes,
  events,
  type Exchange,
  type Finish,
  handle,
  type HandledReply,
  happy,
  type HttpReply,
  json,
  type NoReply,
  type OtherEvent,
  type Reply,
  type ReplyOptions,
  type ResponseFunction,
  type ScriptedResponse,
  type TestEvent,
} from './upstream/reply.ts'
export { SENTENCES, wordErrorRate } from './audio/round-trip.ts'
export { PCM_FORMAT, type SpeechAudio, speechAudio, tone, toneWav, wavFile } from './audio/speech-audio.ts'
export {
  type AfterBytes,
  comments,
  cut,
  dropConnection,
  garbage,
  stall,
  type StalledResponse,
  wrongLength,
} from './faults/bodies.ts'
export {
  delay,
  early,
  type HeldResponse,
  hold,
  silence,
  type SlowReader,
  slowReader,
  type SlowReaderOptions,
} from './faults/waits.ts'
export { type ErrorFields, redirect, status, type StatusOptions } from './faults/status.ts'
export type { TaskPlan, WebhookDelivery } from './happy/task-book.ts'
export { createInProcessUpstream, UnusedResponsesError } from './upstream/upstream.ts'
export {
  type RequestMatcher,
  TEST_API_KEY,
  type TestUpstream,
  type TestUpstreamOptions,
} from './upstream/test-upstream.ts'
export type {
  Ending,
  RecordedFile,
  RecordedForm,
  RecordedRequest,
  Route,
  Target,
  WaitOptions,
} from './upstream/recorded-request.ts'
