import { type INode, type INodeParameters, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
import { SvcAudio } from '../nodes/SvcAudio/SvcAudio.node.ts'
import { OPERATIONS } from '../nodes/SvcAudio/operations/index.ts'

const node: INodeTypeDescription = new SvcAudio().description

/** n8n adds this name to the node when an agent uses it. */
const tool: INodeTypeDescription = { ...node, name: 'svcAudioTool', displayName: 'Svc Audio Tool' }

const IN_FORM = OPERATIONS.filter(({ resource, operation }) =>
  node.properties.some(
    ({ name, displayOptions, options = [] }) =>
      name === 'operation' &&
      displayOptions?.show?.['resource']?.includes(resource) === true &&
      options.some((option) => 'value' in option && option.value === operation),
  ),
)

function parameters(values: INodeParameters, isFull: boolean, type: INodeTypeDescription): INodeParameters {
  const own: INode = { id: '1', name: 'Node', type: type.name, typeVersion: 1, position: [0, 0], parameters: values }
  return NodeHelpers.getNodeParameters(type.properties, values, isFull, false, own, type) ?? {}
}

/** The editor keeps what differs from the default of its field, and sets the defaults of the new fields. */
function changed(from: INodeParameters, to: INodeParameters, type: INodeTypeDescription): INodeParameters {
  return parameters({ ...parameters(from, false, type), ...to }, true, type)
}

describe.each([
  ['the node', node],
  ['the tool of an agent', tool],
])('a form of %s that nobody has filled in', (_what, type) => {
  test.each(IN_FORM.map(({ resource, operation }) => ({ resource, operation })))(
    'has the defaults of $resource: $operation, whatever was chosen before',
    (to) => {
      for (const { resource, operation } of IN_FORM) {
        const before = parameters({ resource, operation }, true, type)
        expect(changed(before, to, type), `after ${resource}: ${operation}`).toEqual(parameters(to, true, type))
      }
    },
  )
})
