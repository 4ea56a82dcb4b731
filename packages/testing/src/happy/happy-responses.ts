import type { Route } from '../upstream/routes.ts'
import { deleteFile, listFiles, retrieveFile, uploadFile } from './files.ts'
import type { HappyResponse } from './happy-call.ts'
import { downloadResult, listModels, retrieveTask } from './lookups.ts'
import { dialogue, speech, voiceGeneration } from './speech.ts'
import { transcription } from './transcriptions.ts'
import { createVoice, listVoices } from './voices.ts'

/** The happy response of every endpoint. */
export const HAPPY_RESPONSES: Readonly<Record<Route, HappyResponse>> = {
  'POST /v1/audio/speech': speech,
  'POST /v1/audio/speech/speakers': dialogue,
  'POST /v1/audio/transcriptions': transcription,
  'POST /v1/audio/voices': createVoice,
  'GET /v1/audio/voices': listVoices,
  'POST /v1/audio/voice/generations': voiceGeneration,
  'GET /v1/audio/tasks/{task_id}': retrieveTask,
  'POST /v1/files': uploadFile,
  'GET /v1/files': listFiles,
  'GET /v1/files/{file_id}': retrieveFile,
  'DELETE /v1/files/{file_id}': deleteFile,
  'GET /v1/models': listModels,
  'GET /v1/audio/results/{result_id}': downloadResult,
}
