import { type IExecuteFunctions, type INodeExecutionData, type INodeType, NodeConnectionTypes } from 'n8n-workflow'

/** What a local node does with one item. */
type Handle = (item: INodeExecutionData, context: IExecuteFunctions, index: number) => INodeExecutionData

/**
 * A node in the place of one of n8n's own, or of a third party's.
 * @param parameter The one field that it has.
 */
export function localNode(handle: Handle, parameter = 'options'): INodeType {
  const { Main } = NodeConnectionTypes
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
