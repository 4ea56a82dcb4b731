import type { Endpoint } from '../http/endpoint.ts'
import type { Claim, TaskKind } from '../ports/task-store.ts'
import type { TaskOperation } from '../use-cases/tasks/task.ts'
import { DELETE_FILE } from './files/delete-file.ts'
import { LIST_FILES } from './files/list-files.ts'
import { RETRIEVE_FILE } from './files/retrieve-file.ts'
import { UPLOAD_FILE } from './files/upload-file.ts'
import { LIST_MODELS } from './models/list-models.ts'
import { CREATE_OPENAI_SPEECH } from './openai/create-speech.ts'
import { CREATE_OPENAI_TRANSCRIPTION } from './openai/create-transcription.ts'
import { CREATE_OPENAI_TRANSLATION } from './openai/create-translation.ts'
import { LIST_OPENAI_MODELS } from './openai/list-models.ts'
import { LIST_OPENAI_SPEECH_MODELS, LIST_OPENAI_VOICES, LIST_SPEACHES_VOICES } from './openai/list-voices.ts'
import { OPEN_REALTIME_SESSION } from './openai/realtime/open-session.ts'
import { RETRIEVE_OPENAI_MODEL } from './openai/retrieve-model.ts'
import { CHECK_RESULT } from './results/check-result.ts'
import { PREFLIGHT_RESULT } from './results/preflight-result.ts'
import { READ_RESULT } from './results/read-result.ts'
import { IS_ALIVE } from './service/is-alive.ts'
import { IS_READY } from './service/is-ready.ts'
import { OPEN_REFERENCE } from './service/open-reference.ts'
import { READ_DESCRIPTION } from './service/read-description.ts'
import { READ_METRICS } from './service/read-metrics.ts'
import { READ_REFERENCE } from './service/read-reference.ts'
import { CREATE_DIALOGUE } from './speech/create-dialogue.ts'
import { CREATE_SPEECH } from './speech/create-speech.ts'
import { CANCEL_TASK } from './tasks/cancel-task.ts'
import { RETRIEVE_TASK } from './tasks/retrieve-task.ts'
import { CREATE_TRANSCRIPTION } from './transcriptions/create-transcription.ts'
import { CREATE_VOICE } from './voices/create-voice.ts'
import { GENERATE_VOICE } from './voices/generate-voice.ts'
import { LIST_VOICES } from './voices/list-voices.ts'

/** Every endpoint, in the order of the OpenAPI document. */
export const ENDPOINTS: readonly Endpoint[] = [
  OPEN_REFERENCE,
  READ_DESCRIPTION,
  READ_REFERENCE,
  IS_ALIVE,
  IS_READY,
  READ_METRICS,
  CHECK_RESULT,
  READ_RESULT,
  PREFLIGHT_RESULT,
  LIST_MODELS,
  CREATE_SPEECH,
  CREATE_DIALOGUE,
  GENERATE_VOICE,
  RETRIEVE_TASK,
  CANCEL_TASK,
  LIST_VOICES,
  CREATE_VOICE,
  CREATE_TRANSCRIPTION,
  LIST_FILES,
  RETRIEVE_FILE,
  DELETE_FILE,
  UPLOAD_FILE,
  CREATE_OPENAI_SPEECH,
  CREATE_OPENAI_TRANSCRIPTION,
  CREATE_OPENAI_TRANSLATION,
  LIST_OPENAI_MODELS,
  RETRIEVE_OPENAI_MODEL,
  LIST_OPENAI_VOICES,
  LIST_OPENAI_SPEECH_MODELS,
  LIST_SPEACHES_VOICES,
  OPEN_REALTIME_SESSION,
]

/** Every operation that can be a task. */
const TASK_OPERATIONS: readonly TaskOperation[] = ENDPOINTS.flatMap(({ task }) => task ?? [])

/**
 * Returns the operation of a task: it has the same kind and can read the stored request.
 * @throws TypeError for a task of an operation that this version does not know
 */
export function operationOf({ task, request }: Claim): TaskOperation {
  const operation = TASK_OPERATIONS.find(
    (candidate) => candidate.object === task.kind && candidate.request.safeParse(request).success,
  )
  if (operation === undefined) throw new TypeError(`No operation performs this ${task.kind} task`)
  return operation
}

/** Returns the engine that all tasks of a kind need. */
export function engineOf(kind: TaskKind): TaskOperation['engine'] {
  const operation = TASK_OPERATIONS.find(({ object }) => object === kind)
  if (operation === undefined) throw new TypeError(`No operation makes ${kind}`)
  return operation.engine
}
