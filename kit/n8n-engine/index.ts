import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type {
  IBinaryData,
  IConnections,
  IDataObject,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  INodeType,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow'

/** Credentials of the nodes. */
export interface N8nCredentials {
  readonly apiKey: string
  readonly baseUrl: string
}

/** A workflow. Its nodes are in order. */
export interface N8nWorkflow {
  readonly nodes: INode[]
  readonly connections: IConnections
}

type Executed = Readonly<Record<string, INodeExecutionData | undefined>>

const require = createRequire(import.meta.url)

/** Creates a Svc Audio node. Missing parameters have the defaults of the node's form. */
export function svcAudio(name: string, parameters: INode['parameters']): INode {
  const credentials = { svcAudioApi: { id: '1', name: 'Svc Audio API' } }
  return { id: name, name, type: 'svcAudio', typeVersion: 1, position: [0, 0], parameters, credentials }
}

/**
 * Runs a workflow of Svc Audio nodes in n8n's engine. The engine loads the package like an installed one.
 *
 * @param input Input of the first node.
 * @param folder Folder for n8n's files. The folder of the first call counts: n8n reads its settings while it loads.
 * @returns the first output item of each node
 * @throws Error of the failed node; the signal's reason after an abort
 */
export async function runWorkflow(
  workflow: N8nWorkflow,
  input: IDataObject,
  options: { readonly credentials: N8nCredentials; readonly folder: string; readonly signal: AbortSignal },
): Promise<Executed> {
  const { credentials, folder, signal } = options
  const { core, n8n, node } = await load(folder)
  const nodeTypes = { getByName: () => node, getByNameAndVersion: () => node, getKnownTypes: () => ({}) }
  const prepared = new n8n.Workflow({ ...workflow, id: '1', nodeTypes, active: false })
  const [first] = workflow.nodes
  if (first === undefined) throw new Error('The workflow has no node')
  const nodeExecutionStack = [{ node: first, data: { main: [[{ json: input }]] }, source: null }]
  const begin = n8n.createRunExecutionData({ executionData: { nodeExecutionStack } })
  const execution = new core.WorkflowExecute(serverFor(credentials), 'trigger', begin)
  const running = execution.processRunExecutionData(prepared)
  const cancel = (): void => running.cancel()
  signal.addEventListener('abort', cancel)
  const { data } = await running.finally(() => signal.removeEventListener('abort', cancel))
  signal.throwIfAborted()
  const { runData, error } = data.resultData
  if (error !== undefined) throw new Error(error.message)
  return Object.fromEntries(Object.entries(runData).map(([name, [run]]) => [name, run?.data?.['main']?.[0]?.[0]]))
}

/** Returns the bytes of a binary field. Without n8n's server, the item holds them. */
export function bytesOf(field: IBinaryData | undefined): Buffer {
  if (field === undefined) throw new Error('The node returned no file')
  return Buffer.from(field.data, 'base64')
}

interface LoadedN8n {
  readonly core: typeof import('n8n-core')
  readonly n8n: typeof import('n8n-workflow')
  readonly node: INodeType
}

let loaded: Promise<LoadedN8n> | undefined

function load(folder: string): Promise<LoadedN8n> {
  loaded ??= loadOnce(folder)
  return loaded
}

async function loadOnce(folder: string): Promise<LoadedN8n> {
  // n8n reads this variable while it loads: require n8n here instead of importing it.
  Object.assign(process.env, {
    N8N_USER_FOLDER: folder,
    N8N_ENCRYPTION_KEY: 'of-this-run',
    N8N_LOG_LEVEL: 'silent',
  })
  const core: LoadedN8n['core'] = require('n8n-core')
  const n8n: LoadedN8n['n8n'] = require('n8n-workflow')
  const loader = new core.PackageDirectoryLoader(dirname(require.resolve('n8n-nodes-svc-audio/package.json')))
  await loader.loadAll()
  const { type } = loader.getNode('svcAudio')
  if ('nodeVersions' in type) throw new Error('The node has several versions')
  return { core, n8n, node: type }
}

/** Stands in for n8n's server: provides credentials and adds the key to requests. */
function serverFor({ apiKey, baseUrl }: N8nCredentials): IWorkflowExecuteAdditionalData {
  const credentialsHelper = {
    getDecrypted: async () => ({ apiKey, baseUrl }),
    authenticate: async (_credentials: unknown, _type: string, request: IHttpRequestOptions) =>
      Object.assign(request, { headers: { ...request.headers, Authorization: `Bearer ${apiKey}` } }),
    preAuthentication: async () => undefined,
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
  }
  const hooks = { handlers: {}, runHook: async () => {} }
  const urls = { webhookWaitingBaseUrl: 'http://n8n.test', formWaitingBaseUrl: 'http://n8n.test' }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine uses only these members
  return { credentialsHelper, hooks, ...urls } as unknown as IWorkflowExecuteAdditionalData
}
