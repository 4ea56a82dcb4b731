export * from './in-process.ts'
export {
  type ListeningServer,
  type RunningScript,
  serverUrl,
  startScript,
  type StartScriptOptions,
} from './processes.ts'
export { longUpload, SlowUpload, uploadForm, type UploadFormOptions, type UploadResponse } from './uploads.ts'
export { createTestUpstream } from './upstream/create-test-upstream.ts'
