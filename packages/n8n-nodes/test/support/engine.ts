import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRunExecutionData,
  type ExecuteWorkflowData,
  type IConnections,
  type ICredentialDataDecryptedObject,
  type ICredentialsHelper,
  type ICredentialType,
  type IHttpRequestOptions,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type INodeType,
  type IRun,
  type IRunExecutionData,
  type ITaskDataConnections,
  type IWorkflowExecuteAdditionalData,
  type IWorkflowSettings,
  type NodeConnectionType,
  Workflow,
  type WorkflowExecuteMode,
} from 'n8n-workflow'
import { asTool, callingAgent, gate, passOn, requestingAgent, start } from './test-nodes.ts'

/** The node under test. */
export const NODE_TYPE = 'n8n-nodes-svc-audio.svcAudio'

/** The trigger. */
export const TRIGGER_TYPE = 'n8n-nodes-svc-audio.svcAudioTrigger'

/** A node of a workflow. */
export interface TestNode {
  readonly name: string
  readonly parameters?: INodeParameters
  /** @default the node under test */
  readonly type?: string
  readonly onError?: NonNullable<INode['onError']>
  /** n8n's own setting Retry On Fail. @default no retry */
  readonly maxTries?: number
  /** The node that it is a tool of, instead of coming after the one before it. */
  readonly toolOf?: string
}

/** How a workflow is run. */
export interface RunOptions {
  /** What the first node gets. @default one item without anything */
  readonly items?: INodeExecutionData[]
  /** Id of the workflow. @default 'test' */
  readonly workflowId?: string
  /** What began the run. @default 'trigger' */
  readonly mode?: WorkflowExecuteMode
  /** Settings of the workflow. @default none */
  readonly settings?: IWorkflowSettings
  /** Called with the settings of each workflow that the run starts. */
  readonly onWorkflow?: (settings: IWorkflowSettings) => void
  /** Called once it runs. */
  readonly onStart?: (cancel: () => void) => void
  /** Called with the time until which it, or a workflow that it started, waits. It is resumed at once. */
  readonly onWait?: (till: Date) => void
}

/** n8n's workflow engine with the built package loaded into it, the way n8n loads an installed one. */
export interface Engine {
  readonly core: N8nCore
  /** What the nodes' credentials hold from now on. */
  credentials: AudioCredentials
  /** Makes a type of node known. */
  addType(name: string, type: INodeType): void
  /** Runs the nodes one after the other. */
  run(nodes: readonly TestNode[], options?: RunOptions): Promise<IRun>
  /**
   * Runs a workflow as n8n exports one, from its first node that is no note. Types that are not known must have been
   * added before.
   */
  runExport(workflow: ExportedWorkflow, items: INodeExecutionData[]): Promise<IRun>
  /** A workflow of these nodes and what goes with it, for contexts that are not a run. */
  prepare(
    nodes: readonly TestNode[],
    workflowId?: string,
    settings?: IWorkflowSettings,
  ): { workflow: Workflow; additionalData: IWorkflowExecuteAdditionalData }
  /** An item with a file in the binary field `data`, as n8n stores it. */
  store(bytes: Buffer): Promise<INodeExecutionData>
  /** The bytes of an item's binary field. */
  bytesOf(item: INodeExecutionData | undefined, field: string): Promise<Buffer>
  close(): Promise<void>
}

/** @param folder A package to load. @default the one under test */
export async function startEngine(
  credentials: AudioCredentials,
  binaryMode: BinaryMode = 'filesystem',
  folder: string = PACKAGE_FOLDER,
): Promise<Engine> {
  const { core, home, binaryData } = await loadN8n(binaryMode)
  const loader = new core.PackageDirectoryLoader(folder)
  await loader.loadAll()
  const node = loader.getNode('svcAudio').type as INodeType
  const trigger = loader.getNode('svcAudioTrigger').type as INodeType
  const types: Record<string, INodeType> = {
    start,
    'n8n-nodes-base.executeWorkflowTrigger': passOn,
    'n8n-nodes-base.if': gate,
    callingAgent,
    requestingAgent,
    [NODE_TYPE]: node,
    [TRIGGER_TYPE]: trigger,
    [`${NODE_TYPE}Tool`]: asTool(node),
  }
  const nodeTypes = {
    getByName: (name: string) => typeNamed(types, name),
    getByNameAndVersion: (name: string) => typeNamed(types, name),
    getKnownTypes: () => ({}),
  }

  const prepareExport = (exported: ExportedWorkflow): ReturnType<Engine['prepare']> => {
    const parameters = { id: 'test', ...exported, nodeTypes, active: false }
    const workflow = new Workflow({ ...parameters, settings: { executionOrder: 'v1', ...exported.settings } })
    const helper = credentialsHelper(loader.getCredential('svcAudioApi').type, engine.credentials)
    return { workflow, additionalData: additionalDataOf(core, helper, parameters) }
  }

  const execute = async (
    prepared: ReturnType<Engine['prepare']>,
    name: string,
    items: INodeExecutionData[],
    { onStart, onWait, onWorkflow, mode = 'trigger' }: Omit<RunOptions, 'items' | 'workflowId' | 'settings'> = {},
  ): Promise<IRun> => {
    const first = prepared.workflow.getNode(name)
    if (first === null) throw new Error('The workflow lacks its start')
    const nodeExecutionStack = [{ node: first, data: { main: [items] }, source: null }]
    const data = createRunExecutionData({ executionData: { nodeExecutionStack } })
    const hooks = { onRun: onStart, onWait, onWorkflow }
    return runToTheEnd({ core, prepare: prepareExport, mode, ...hooks, ...prepared }, data)
  }

  const engine: Engine = {
    core,
    credentials,
    addType(name, type) {
      types[name] = type
    },
    prepare(nodes, id = 'test', settings = {}) {
      const all = [{ name: 'Start', type: 'start' }, ...nodes]
      return prepareExport({ id, nodes: all.map(toNode), connections: connect(all), settings })
    },
    run(nodes, { items = [{ json: {} }], workflowId, settings, ...more } = {}) {
      return execute(engine.prepare(nodes, workflowId, settings), 'Start', items, more)
    },
    runExport(workflow, items) {
      const nodes = workflow.nodes
        .filter(({ type }) => !type.endsWith('.stickyNote'))
        .map((one) => Object.assign({}, one, { credentials: CREDENTIALS }))
      return execute(prepareExport({ ...workflow, nodes }), nodes[0]?.name ?? '', items)
    },
    async store(bytes) {
      const location = core.FileLocation.ofExecution('test', '1')
      const data = await binaryData.store(location, bytes, { data: '', mimeType: 'audio/wav' })
      return { json: {}, binary: { data } }
    },
    async bytesOf(item, field) {
      const data = item?.binary?.[field]
      if (data === undefined) throw new Error(`The item has no binary field ${field}`)
      return binaryData.getAsBuffer(data)
    },
    close: () => rm(home, { recursive: true, force: true }),
  }
  return engine
}

/** What a node output in its last run. */
export function outputOf(run: IRun, name: string): INodeExecutionData[] {
  return run.data.resultData.runData[name]?.at(-1)?.data?.['main']?.[0] ?? []
}

/** A text of an item's JSON. */
export function textOf(item: INodeExecutionData | undefined, field: string): string {
  const value = item?.json[field]
  if (typeof value !== 'string') throw new Error(`The item has no text ${field}`)
  return value
}

/** What a node failed with in its last run. */
export function errorOf(run: IRun, name: string): { message: string; [field: string]: unknown } | undefined {
  const error: object | undefined = run.data.resultData.runData[name]?.at(-1)?.error
  return error === undefined ? undefined : { message: '', ...error }
}

const CREDENTIALS = { svcAudioApi: { id: '1', name: 'Svc Audio API' } }

function typeNamed(types: Readonly<Record<string, INodeType>>, name: string): INodeType {
  const type = types[name]
  if (type === undefined) throw new Error(`There is no node type ${name}`)
  return type
}

function toNode({ name, type = NODE_TYPE, parameters = {}, onError, maxTries }: TestNode): INode {
  return {
    id: name,
    name,
    type,
    parameters,
    credentials: CREDENTIALS,
    typeVersion: 1,
    position: [0, 0],
    ...(onError && { onError }),
    ...(maxTries && { retryOnFail: true, maxTries, waitBetweenTries: 1 }),
  }
}

function connect(nodes: readonly TestNode[]): IConnections {
  const connections: IConnections = {}
  const add = (from: string, to: string, type: NodeConnectionType): void => {
    connections[from] = { [type]: [[{ node: to, type, index: 0 }]] }
  }
  const chain = nodes.filter(({ toolOf }) => toolOf === undefined)
  for (const [index, { name }] of chain.entries()) {
    const next = chain[index + 1]
    if (next !== undefined) add(name, next.name, 'main')
  }
  for (const { name, toolOf } of nodes) if (toolOf !== undefined) add(name, toolOf, 'ai_tool')
  return connections
}

/** Executions so far: n8n numbers them. */
let executions = 0

function additionalDataOf(
  core: N8nCore,
  helper: IWorkflowExecuteAdditionalData['credentialsHelper'],
  workflow: { id: string; nodes: INode[]; connections: IConnections },
): IWorkflowExecuteAdditionalData {
  const now = new Date(0)
  const base = { ...workflow, name: 'test', active: false, isArchived: false, createdAt: now, updatedAt: now }
  const partial = {
    credentialsHelper: helper,
    hooks: new core.ExecutionLifecycleHooks('trigger', '1', { ...base, activeVersionId: null }),
    executionId: String((executions += 1)),
    currentNodeExecutionIndex: 0,
    restApiUrl: 'http://n8n.test/rest',
    instanceBaseUrl: 'http://n8n.test/',
    webhookBaseUrl: 'http://n8n.test/webhook',
    // expressions resolve it even where they do not use it
    webhookWaitingBaseUrl: 'http://n8n.test/webhook-waiting',
    formWaitingBaseUrl: 'http://n8n.test/form-waiting',
    variables: {},
    logAiEvent: () => {},
    setExecutionStatus: () => {},
  }
  // The rest belongs to parts of n8n's server that no test reaches.
  return partial as unknown as IWorkflowExecuteAdditionalData
}

/** What the user typed into the credentials of the node. */
interface AudioCredentials extends ICredentialDataDecryptedObject {
  apiKey: string
  baseUrl: string
  webhookSecret?: string
  ignoreSslIssues?: boolean
  idempotencyKeys?: boolean
}

/**
 * Credentials as n8n's server hands them out: one entry, put into requests as its type says, expressions included. The
 * real one is part of the server, which needs a database.
 */
function credentialsHelper(type: ICredentialType, entry: AudioCredentials): ICredentialsHelper {
  const absent = (): never => {
    throw new Error('No node asks for this')
  }
  return {
    getDecrypted: async () => ({ ...entry }),
    authenticate: async (credentials, _name, incoming, workflow, node) =>
      putIn(incoming as IHttpRequestOptions, type, credentials, workflow, node),
    preAuthentication: async () => undefined,
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
    getCredentials: absent,
    getCredentialsProperties: absent,
    runPreAuthentication: absent,
    updateCredentials: absent,
    updateCredentialsOauthTokenData: absent,
  }
}

function putIn(
  request: IHttpRequestOptions,
  { authenticate }: ICredentialType,
  credentials: ICredentialDataDecryptedObject,
  workflow?: Workflow,
  node?: INode,
): IHttpRequestOptions {
  if (typeof authenticate !== 'object' || workflow === undefined || node === undefined) {
    throw new Error('The credentials must say how they are used')
  }
  for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
    if (typeof value !== 'string') throw new Error(`The header ${name} must be an expression`)
    const keys = { $credentials: credentials }
    const resolved = workflow.expression.getSimpleParameterValue(node, value, 'internal', keys)
    request.headers = { ...request.headers, [name]: resolved }
  }
  return request
}

/** A workflow as n8n exports one. */
export interface ExportedWorkflow {
  readonly id?: string
  readonly nodes: INode[]
  readonly connections: IConnections
  readonly settings?: IWorkflowSettings
}

/** n8n's engine as a module. */
type N8nCore = typeof import('n8n-core')

/** Where n8n keeps binary fields: in files, which is its default, or in memory, which it calls `default`. */
export type BinaryMode = 'filesystem' | 'default'

/** n8n's engine in this process. */
interface LoadedN8n {
  readonly core: N8nCore
  /** The folder that it keeps its files in. */
  readonly home: string
  /** Its store of binary fields. */
  readonly binaryData: InstanceType<N8nCore['BinaryDataService']>
}

const require = createRequire(import.meta.url)

/** The package under test. What n8n loads of it is the build. */
export const PACKAGE_FOLDER: string = join(import.meta.dirname, '../..')

/**
 * Loads n8n's engine with a home folder of its own. It reads its settings from the environment while it loads, so that
 * it must not be imported.
 */
async function loadN8n(mode: BinaryMode): Promise<LoadedN8n> {
  const home = await mkdtemp(join(tmpdir(), 'svc-audio-n8n-'))
  Object.assign(process.env, {
    N8N_USER_FOLDER: home,
    N8N_ENCRYPTION_KEY: 'of-the-tests',
    N8N_DEFAULT_BINARY_DATA_MODE: mode,
    N8N_LOG_LEVEL: 'silent',
  })
  const core: N8nCore = require('n8n-core')
  // The registry of n8n's services is in a package that is n8n-core's, not ours.
  const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di')
  const binaryData: LoadedN8n['binaryData'] = Container.get(core.BinaryDataService)
  await binaryData.init()
  return { core, home, binaryData }
}

/** A workflow and what goes with it. */
interface PreparedRun {
  readonly workflow: Workflow
  readonly additionalData: IWorkflowExecuteAdditionalData
}

/** What {@link runToTheEnd} needs. */
interface WaitingRunOptions extends PreparedRun {
  readonly core: N8nCore
  readonly prepare: (workflow: ExportedWorkflow) => PreparedRun
  /** Called with each part of a run, also those of the workflows that it starts. */
  readonly onRun?: ((cancel: () => void) => void) | undefined
  /** Called with the time until which a run waits. */
  readonly onWait?: ((till: Date) => void) | undefined
  /** Called with the settings of each workflow that a run starts. */
  readonly onWorkflow?: ((settings: IWorkflowSettings) => void) | undefined
  /** What began the run. */
  readonly mode: WorkflowExecuteMode
}

/**
 * Runs a workflow as n8n's server does: one that waits is stored as JSON and resumed, at once. One that waits for a
 * workflow of its own is resumed with the output of that one, or with its failure.
 */
async function runToTheEnd(options: WaitingRunOptions, data: IRunExecutionData): Promise<IRun> {
  const { workflow, additionalData } = options
  let child: { readonly prepared: PreparedRun; readonly run: IRun } | undefined
  startsWorkflows(options, additionalData, (waiting) => (child = waiting))
  let run = await runPart(options, { workflow, additionalData }, data)
  while (run.waitTill) {
    const stored = stringified(run.data)
    if (child !== undefined) {
      const finished = await resumed(options, child.prepared, child.run)
      passOnTo(stored, finished)
      child = undefined
    }
    run = await runPart(options, { workflow, additionalData }, stored)
  }
  return run
}

/** Lets the nodes of a run start workflows, whose nodes may do so too. */
function startsWorkflows(
  options: WaitingRunOptions,
  additionalData: IWorkflowExecuteAdditionalData,
  onStart: (child: { readonly prepared: PreparedRun; readonly run: IRun }) => void = () => {},
): void {
  additionalData.executeWorkflow = async ({ code }, _data, { inputData = [] }): Promise<ExecuteWorkflowData> => {
    const first = code?.nodes.find(({ type }) => type.endsWith('.executeWorkflowTrigger'))
    if (code === undefined || first === undefined) throw new Error('The workflow must come with its trigger')
    options.onWorkflow?.(code.settings ?? {})
    const { name: _name, settings, ...exported } = code
    const prepared = options.prepare({ ...exported, id: 'waiting', ...(settings === undefined ? {} : { settings }) })
    startsWorkflows(options, prepared.additionalData)
    const nodeExecutionStack = [{ node: first, data: { main: [inputData] }, source: null }]
    const begin = createRunExecutionData({ executionData: { nodeExecutionStack } })
    const run = await runPart({ ...options, mode: 'integrated' }, prepared, begin)
    onStart({ prepared, run })
    const { error } = run.data.resultData
    if (error !== undefined) throw Object.assign(new Error(error.message), { description: error.description })
    const { executionId = '' } = prepared.additionalData
    return { executionId, data: lastOutput(run)?.['main'] ?? [], waitTill: run.waitTill ?? null }
  }
}

async function resumed(options: WaitingRunOptions, prepared: PreparedRun, begun: IRun): Promise<IRun> {
  let run = begun
  while (run.waitTill) run = await runPart({ ...options, mode: 'integrated' }, prepared, stringified(run.data))
  return run
}

async function runPart(
  { core, mode, onRun, onWait }: WaitingRunOptions,
  { workflow, additionalData }: PreparedRun,
  data: IRunExecutionData,
): Promise<IRun> {
  const running = new core.WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow)
  onRun?.(() => running.cancel())
  const run = await running
  if (run.waitTill) onWait?.(run.waitTill)
  return run
}

/** As n8n patches a run whose workflow has ended. */
function passOnTo(parent: IRunExecutionData, finished: IRun): void {
  const [entry] = parent.executionData?.nodeExecutionStack ?? []
  if (entry === undefined) throw new Error('The run that waits lacks its node')
  const { error } = finished.data.resultData
  if (error !== undefined) entry.metadata = { ...entry.metadata, resumeError: error }
  else entry.data = lastOutput(finished) ?? {}
}

function lastOutput({ data: { resultData } }: IRun): ITaskDataConnections | undefined {
  return resultData.runData[resultData.lastNodeExecuted ?? '']?.at(-1)?.data
}

/** As n8n stores a run. */
function stringified(data: IRunExecutionData): IRunExecutionData {
  return JSON.parse(JSON.stringify(data)) as IRunExecutionData
}
