import {
  createRunExecutionData,
  type ExecuteWorkflowData,
  type IRun,
  type IRunExecutionData,
  type ITaskDataConnections,
  type IWorkflowExecuteAdditionalData,
  type Workflow,
} from 'n8n-workflow'
import type { ExportedWorkflow } from './exported-workflow.ts'
import type { N8nCore } from './n8n.ts'

/** A workflow and what goes with it. */
export interface PreparedRun {
  readonly workflow: Workflow
  readonly additionalData: IWorkflowExecuteAdditionalData
}

/** What {@link runToTheEnd} needs. */
export interface WaitingRunOptions extends PreparedRun {
  readonly core: N8nCore
  readonly prepare: (workflow: ExportedWorkflow) => PreparedRun
  /** Called with each part of a run, also those of the workflows that it starts. */
  readonly onRun?: ((cancel: () => void) => void) | undefined
  /** Called with the time until which a run waits. */
  readonly onWait?: ((till: Date) => void) | undefined
}

/**
 * Runs a workflow as n8n's server does: one that waits is stored as JSON and resumed, at once. One that waits for a
 * workflow of its own is resumed with the output of that one, or with its failure.
 */
export async function runToTheEnd(options: WaitingRunOptions, data: IRunExecutionData): Promise<IRun> {
  const { workflow, additionalData, prepare } = options
  let child: { readonly prepared: PreparedRun; readonly run: IRun } | undefined
  additionalData.executeWorkflow = async (info, _data, { inputData = [] }): Promise<ExecuteWorkflowData> => {
    const { code } = info
    const first = code?.nodes.find(({ type }) => type.endsWith('.executeWorkflowTrigger'))
    if (code === undefined || first === undefined) throw new Error('The workflow must come with its trigger')
    const prepared = prepare({ ...code, id: 'waiting' })
    const nodeExecutionStack = [{ node: first, data: { main: [inputData] }, source: null }]
    const start = createRunExecutionData({ executionData: { nodeExecutionStack } })
    const run = await runPart(options, prepared, start)
    child = { prepared, run }
    return { executionId: '2', data: lastOutput(run)?.['main'] ?? [], waitTill: run.waitTill ?? null }
  }
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

async function resumed(options: WaitingRunOptions, prepared: PreparedRun, start: IRun): Promise<IRun> {
  let run = start
  while (run.waitTill) run = await runPart(options, prepared, stringified(run.data))
  return run
}

async function runPart(
  { core, onRun, onWait }: WaitingRunOptions,
  { workflow, additionalData }: PreparedRun,
  data: IRunExecutionData,
): Promise<IRun> {
  const running = new core.WorkflowExecute(additionalData, 'trigger', data).processRunExecutionData(workflow)
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
