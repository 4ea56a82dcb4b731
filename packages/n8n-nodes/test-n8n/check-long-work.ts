import { setTimeout as delay } from 'node:timers/promises'
import type { INode, INodeParameters } from 'n8n-workflow'
import { callWebhook, type Execution, type N8nRest } from './rest.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import type { N8nServer } from './server.ts'

/** How long a waiting run may take until it has ended, in milliseconds. n8n looks for runs to resume once per minute. */
const RUN_TIMEOUT = 900_000

/** Over 5,000 characters. */
const LONG_TEXT = 'The train to the coast leaves at seven in the morning. '.repeat(95)

/** What the check needs. */
export interface LongWorkOptions {
  readonly server: N8nServer
  readonly rest: N8nRest
  /** Id of the credential that the nodes use. */
  readonly credential: string
  /** Whether this n8n stores a run that waits for a task. An older one waits in the node. */
  readonly isStored: boolean
}

/**
 * A long text and a recording, each in one node that starts a task by itself. While both runs wait, n8n is killed,
 * started, stopped and started again. Then both end with what the service made, and the log tells how far the tasks have
 * come.
 */
export async function checkLongWork({ server, rest, credential, isStored }: LongWorkOptions): Promise<string[]> {
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const svcAudio = (name: string, parameters: INodeParameters): INode =>
    node(name, SVC_AUDIO, parameters, { credentials })
  const voice = byId('rms')
  const started: { readonly id: string; readonly start: INode }[] = []
  for (const [name, last] of [
    ['Long text', svcAudio('Long', { text: LONG_TEXT, voice })],
    ['Recording', svcAudio('Long', { resource: 'transcription', options: { runAsTask: 'always' } })],
  ] as const) {
    const start = webhook('Begin', { responseMode: 'onReceived' })
    const speak = svcAudio('Speak', { text: 'There is fresh bread on the table.', voice })
    const nodes = [start, ...(name === 'Recording' ? [speak] : []), last, node('End', 'noOp', {})]
    const connections = chain(...nodes.map((one) => one.name))
    started.push({ id: await rest.addWorkflow({ name, nodes, connections }, { publish: true }), start })
  }
  for (const { start } of started) await callWebhook(rest, start, '')
  if (isStored) {
    for (const { id } of started) await until(rest, id, 'waiting')
    await server.restart('SIGKILL')
    await server.restart('SIGTERM')
  }
  const begin = performance.now()
  const outputs: string[] = []
  for (const { id } of started) outputs.push(await rest.dataOf(await until(rest, id, 'success')))
  const [spoken = '', heard = ''] = outputs
  if (!spoken.includes('audio/wav') || !spoken.includes('speech.wav')) throw new Error('The long text has no audio')
  if (!/fresh bread/i.test(heard)) throw new Error('The recording has no text')
  if (!/task \S+ of item 0 is SUCCESS after \d+ seconds/.test(server.log())) throw new Error('The log has no progress')
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  const how = isStored ? 'waited, n8n was killed, then stopped, and both ended' : 'ended'
  return [`long work: two runs ${how} after ${seconds} s`]
}

/** @throws Error when the run fails, or does not reach the status */
async function until(rest: N8nRest, workflowId: string, status: string): Promise<Execution> {
  let last: Execution | undefined
  for (const end = Date.now() + RUN_TIMEOUT; Date.now() < end; await delay(1000)) {
    last = (await rest.runs(workflowId)).at(0)
    if (last?.status === status) return last
    if (last !== undefined && /error|crashed|canceled/.test(last.status))
      throw new Error(`The run ended with ${last.status}: ${(await rest.dataOf(last)).slice(0, 3000)}`)
  }
  throw new Error(`The run of ${workflowId} is ${last?.status ?? 'missing'}, not ${status}`)
}
