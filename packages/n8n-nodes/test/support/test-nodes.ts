import {
  deepCopy,
  type EngineResponse,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow'

const { Main, AiTool } = NodeConnectionTypes

function describeNode(name: string, inputs: INodeTypeDescription['inputs']): INodeTypeDescription {
  const texts = { displayName: name, name, description: name, defaults: { name } }
  const properties = ['tool', 'call'].map(
    (one) => ({ displayName: one, name: one, type: 'string', default: '' }) as const,
  )
  return { ...texts, group: ['transform'], version: 1, inputs, outputs: [Main], properties }
}

/** What an agent was told to call its tool with. */
function call(context: IExecuteFunctions): Record<string, string> {
  return JSON.parse(field(context, 'call'))
}

function field(context: IExecuteFunctions, name: string): string {
  const value = context.getNodeParameter(name, 0)
  if (typeof value !== 'string') throw new Error(`An agent needs the text ${name}`)
  return value
}

/** Begins a workflow. */
export const start: INodeType = {
  description: { ...describeNode('start', []), group: ['trigger'] },
  async execute() {
    return [this.getInputData()]
  },
}

/** An agent of the older kind: it gets its tool as an object and calls it with the parameter `call`. */
export const callingAgent: INodeType = {
  description: describeNode('callingAgent', [{ type: Main }, { type: AiTool }]),
  async execute() {
    const [tool] = (await this.getInputConnectionData(AiTool, 0)) as { invoke(call: unknown): Promise<string> }[]
    const answer = await tool?.invoke(call(this))
    return [[{ json: { answer: JSON.parse(answer ?? 'null') } }]]
  },
}

/** An agent of the newer kind: it asks the workflow engine to run the node that is its tool, and is then run again. */
export const requestingAgent: INodeType = {
  description: describeNode('requestingAgent', [{ type: Main }, { type: AiTool }]),
  async execute(this: IExecuteFunctions, response?: EngineResponse) {
    const results = response?.actionResponses ?? []
    if (results.length > 0) {
      const items = results.flatMap(({ data }) => data.data?.ai_tool?.[0] ?? [])
      return [[{ json: { answer: items.map(({ json }) => json), binary: items.some((item) => item.binary) } }]]
    }
    const nodeName = field(this, 'tool')
    return {
      actions: [
        { actionType: 'ExecutionNodeAction', nodeName, input: call(this), type: AiTool, id: 'call', metadata: {} },
      ],
      metadata: {},
    }
  },
}

/** A node as n8n offers it to agents: the same code, with a tool for its output. */
export function asTool(node: INodeType): INodeType {
  const description = deepCopy(node.description)
  const tool = { name: `${description.name}Tool`, inputs: [], outputs: [AiTool] }
  return Object.assign(Object.create(node), { description: { ...description, ...tool } })
}

/** What a local node does with one item. */
type Handle = (item: INodeExecutionData, context: IExecuteFunctions, index: number) => INodeExecutionData

/**
 * A node in the place of one of n8n's own, or of a third party's.
 * @param parameter The one field that it has.
 */
function localNode(handle: Handle, parameter = 'options'): INodeType {
  const texts = { displayName: 'Local', name: 'local', description: '', defaults: { name: 'Local' } }
  const properties = [{ displayName: 'Field', name: parameter, type: 'json', default: {} } as const]
  return {
    description: { ...texts, group: ['transform'], version: 1, inputs: [Main], outputs: [Main], properties },
    async execute() {
      const items = this.getInputData()
      return [items.map((item, index) => Object.assign(handle(item, this, index), { pairedItem: { item: index } }))]
    },
  }
}

/** Hands its items on. */
export const passOn: INodeType = localNode((item) => item)

/** Edit Fields: the assignments, resolved for each item. */
export const editFields: INodeType = localNode((_item, context, index) => {
  const { assignments } = context.getNodeParameter('assignments', index) as {
    assignments: { name: string; value: string }[]
  }
  return { json: Object.fromEntries(assignments.map(({ name, value }) => [name, value])) }
}, 'assignments')

/** If, version 1: all items to the first output, or to the second. */
export const gate: INodeType = {
  description: {
    ...passOn.description,
    outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
    properties: [{ displayName: 'Conditions', name: 'conditions', type: 'json', default: {} }],
  },
  async execute() {
    const { boolean } = this.getNodeParameter('conditions', 0) as { boolean: { value1: boolean }[] }
    const items = this.getInputData()
    return boolean[0]?.value1 === true ? [items, []] : [[], items]
  },
}
