export { createTestClock, type TestClock } from './clock/test-clock.ts'
export {
  audioBytes,
  events,
  handle,
  json,
  type OtherEvent,
  type ReplyOptions,
  type TestEvent,
} from './upstream/replies.ts'
export { SENTENCES } from './audio/sentences.ts'
export { speechAudio, type SpeechAudio } from './audio/speech-audio.ts'
export { tone, toneWav } from './audio/tone.ts'
export { PCM_FORMAT, wavFile } from './audio/wav.ts'
export { comments, cut, dropConnection, garbage, wrongLength } from './faults/bodies.ts'
export { type SlowReader, slowReader, type SlowReaderOptions } from './faults/slow-reader.ts'
export { type AfterBytes, stall, type StalledResponse } from './faults/stall.ts'
export { type ErrorFields, redirect, status, type StatusOptions } from './faults/status.ts'
export { delay, early, type HeldResponse, hold, silence } from './faults/waits.ts'
export type { TaskPlan } from './happy/task-book.ts'
export type { WebhookDelivery } from './happy/webhooks.ts'
export { createInProcessUpstream } from './upstream/create-in-process-upstream.ts'
export { TEST_API_KEY, type TestUpstreamOptions } from './upstream/options.ts'
export type { Ending, RecordedFile, RecordedForm, RecordedRequest, WaitOptions } from './upstream/recorded-request.ts'
export {
  type ScriptedResponse,
  type ResponseFunction,
  type Exchange,
  type Finish,
  happy,
  type HandledReply,
  type HttpReply,
  type NoReply,
  type Reply,
} from './upstream/reply.ts'
export type { Route } from './upstream/routes.ts'
export type { Target } from './upstream/script.ts'
export type { RequestMatcher, TestUpstream } from './upstream/test-upstream.ts'
export { UnusedResponsesError } from './upstream/unused-responses-error.ts'
export { wordErrorRate } from './word-error-rate.ts'
