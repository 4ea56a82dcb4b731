import type { ModelList } from '@svc-audio/core'
import { audioBytes, json } from '../upstream/replies.ts'
import type { HappyResponse } from './happy-call.ts'
import { Refusal } from './refusal.ts'

/** `GET /v1/models` */
export const listModels: HappyResponse = ({ world }) => {
  const list: ModelList = { object: 'list', data: world.models }
  return json(list)
}

/** `GET /v1/audio/tasks/{task_id}` */
export const retrieveTask: HappyResponse = ({ world, id }) => {
  const task = world.tasks.poll(id)
  if (task === undefined) throw new Refusal(404, 'task_not_found', 'task_id', `There is no task ${id}`)
  return json(task)
}

/** The download behind a result's `url`. */
export const downloadResult: HappyResponse = ({ world, request, id }) => {
  const found = world.results.find(id, request.query)
  if (found === 'expired') throw new Refusal(403, 'result_expired', null, 'The URL has expired')
  if (found === undefined) throw new Refusal(404, 'result_not_found', null, `There is no result ${id}`)
  return audioBytes(found.bytes, found.contentType)
}
