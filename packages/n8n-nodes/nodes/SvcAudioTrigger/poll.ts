import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow'
import { createAudioClient } from '../SvcAudio/client/audio-client.ts'
import { toNodeError } from '../SvcAudio/errors/to-node-error.ts'
import { toList } from '../SvcAudio/form/coerce.ts'
import { isFinished, SeenTasks, taskJson } from './finished-task.ts'

/**
 * Asks for the tasks of the form. Each starts the workflow once, when it has finished.
 * @returns `null` when none has
 */
export async function pollTasks(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getNodeParameter('source') !== 'polling') return null
  const statuses = toList(context.getNodeParameter('statuses')) ?? []
  const isTest = context.getMode() === 'manual'
  const seen = new SeenTasks(context.getWorkflowStaticData('node'))
  const ids = new Set(toList(context.getNodeParameter('taskIds', [])) ?? [])
  const items: INodeExecutionData[] = []
  try {
    const { audio } = await createAudioClient(context)
    for (const id of ids) {
      if (!isTest && seen.has(id)) continue
      const task = await audio.tasks.retrieve(id)
      if (!isFinished(task)) continue
      if (statuses.includes(task.status)) items.push({ json: taskJson(task) })
      if (!isTest) seen.add(id)
    }
  } catch (error) {
    // Those that have finished are not lost to one that cannot be read: it is asked for again the next time.
    if (items.length === 0) throw toNodeError(context.getNode(), error, 0)
  }
  return items.length === 0 ? null : [items]
}
