import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { searchModels } from './list-search/search-models.ts'
import { searchVoices } from './list-search/search-voices.ts'
import { findOperation } from './operations/find-operation.ts'
import { speechCreate } from './operations/speech-create.ts'
import { transcriptionCreate } from './operations/transcription-create.ts'
import { toNodeError } from './to-node-error.ts'

/** By this word n8n tells a run that was stopped from one that failed. */
const CANCELLED = 'The run was canceled'

/** The node: Speech makes a binary file of text, Transcription makes text of one. */
export class SvcAudio implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Svc Audio',
    name: 'svcAudio',
    icon: { light: 'file:../../icons/svc-audio.svg', dark: 'file:../../icons/svc-audio.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Turn text into speech and speech into text',
    defaults: { name: 'Svc Audio' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'svcAudioApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        default: 'speech',
        options: [
          { name: 'Speech', value: 'speech' },
          { name: 'Transcription', value: 'transcription' },
        ],
      },
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'create',
        displayOptions: { show: { resource: ['speech'] } },
        options: [
          { name: 'Create', value: 'create', action: 'Create speech', description: 'Make a spoken file of a text' },
        ],
      },
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'create',
        displayOptions: { show: { resource: ['transcription'] } },
        options: [
          { name: 'Create', value: 'create', action: 'Create a transcription', description: 'Write down what is said' },
        ],
      },
      ...speechCreate.fields,
      ...transcriptionCreate.fields,
    ],
  }

  methods: NonNullable<INodeType['methods']> = {
    listSearch: {
      async searchVoices(filter, paginationToken) {
        return searchVoices(this, filter, paginationToken)
      },
      async searchSpeechModels(filter) {
        return searchModels(this, 'speech', filter)
      },
      async searchTranscriptionModels(filter) {
        return searchModels(this, 'transcription', filter)
      },
    },
  }

  /** One item after the other, so that the service is not asked for all of them at once. */
  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = []
    for (const itemIndex of this.getInputData().keys()) {
      try {
        const operation = findOperation(this, itemIndex)
        results.push({ ...(await operation.run(this, itemIndex)), pairedItem: { item: itemIndex } })
      } catch (cause) {
        const cancelled = this.getExecutionCancelSignal()?.aborted === true
        const error = toNodeError(this.getNode(), cancelled ? CANCELLED : cause, itemIndex)
        if (cancelled || !this.continueOnFail()) throw error
        results.push({ json: { error: error.message }, error, pairedItem: { item: itemIndex } })
      }
    }
    return [results]
  }
}
