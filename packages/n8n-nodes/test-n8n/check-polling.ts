import { setTimeout as delay } from 'node:timers/promises'
import { callWebhook } from './call-webhook.ts'
import { startFinishedTasks } from './check-trigger.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import type { N8nRest } from './rest.ts'
import type { N8nServer } from './server.ts'

/** How long a poll may take on a busy machine, in milliseconds. n8n polls once per minute. */
const TIMEOUT = 300_000

/** Time in which n8n polls once more, in milliseconds. */
const ONE_MORE_POLL = 75_000

/** How long n8n may take to store a run, in milliseconds. */
const STORE_TIMEOUT = 60_000

/**
 * Start Task registers a task, n8n is killed and started again, and the polling trigger of the same workflow starts a run
 * for the task: one, however often it polls.
 */
export async function checkPolling(server: N8nServer, rest: N8nRest): Promise<string[]> {
  const service = await startFinishedTasks()
  try {
    const id = await rest.addCredential('Polled', 'svcAudioApi', { apiKey: 'any-key', baseUrl: service.url })
    const credentials = { svcAudioApi: { id, name: 'Polled' } }
    const begin = webhook('Begin')
    const task = { operation: 'startTask', text: 'Hello.', voice: byId('v'), options: { registerForPolling: true } }
    const url = `={{ "${service.url}/ran/" + $json.id }}`
    const nodes = [
      begin,
      node('Start Task', SVC_AUDIO, { resource: 'speech', ...task }, { credentials }),
      node('Ended', `${SVC_AUDIO}Trigger`, { source: 'polling' }, { credentials, position: [0, 300] }),
      node('Report', 'httpRequest', { url, options: {} }, { typeVersion: 4.2, position: [300, 300] }),
    ]
    const connections = { ...chain('Begin', 'Start Task'), ...chain('Ended', 'Report') }
    const workflow = await rest.addWorkflow({ name: 'Polling', nodes, connections }, { publish: true })
    const { taskId } = (await callWebhook(rest, begin, '').then((response) => response.json())) as { taskId?: string }
    if (taskId === undefined) throw new Error('Start Task outputs no taskId')
    await rest.finished(workflow, STORE_TIMEOUT)
    await server.restart('SIGKILL')
    for (const end = Date.now() + TIMEOUT; !service.runs.has(taskId); await delay(500))
      if (Date.now() > end) throw new Error('The polling trigger does not start the workflow')
    await delay(ONE_MORE_POLL)
    const runs = service.runs.get(taskId)
    if (runs !== 1) throw new Error(`The polling trigger started ${runs} runs for one task`)
    return ['polling: a registered task started one run, after n8n was killed and started again']
  } finally {
    await service.close()
  }
}
