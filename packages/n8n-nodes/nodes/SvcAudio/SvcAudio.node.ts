import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { testCredentials } from './client/test-credentials.ts'
import { searchFiles, searchModels, searchVoices } from './list-search.ts'
import { operationFields, subtitleExpression } from './operations/index.ts'
import { execute } from './execute.ts'

/** The node: speech, dialogue, transcription, voices, files and tasks of the service. */
export class SvcAudio implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Svc Audio',
    name: 'svcAudio',
    icon: { light: 'file:../../icons/svc-audio.svg', dark: 'file:../../icons/svc-audio.dark.svg' },
    group: ['transform'],
    version: [1],
    subtitle: subtitleExpression(),
    description: 'Turn text into speech, transcribe recordings, and manage voices, files and tasks',
    defaults: { name: 'Svc Audio' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'svcAudioApi', required: true, testedBy: 'testSvcAudioApi' }],
    properties: operationFields(),
  }

  methods: NonNullable<INodeType['methods']> = {
    credentialTest: {
      async testSvcAudioApi(credentials) {
        return testCredentials(this, credentials)
      },
    },
    listSearch: {
      async searchVoices(filter, paginationToken) {
        return searchVoices(this, filter, paginationToken)
      },
      async searchFiles(filter, paginationToken) {
        return searchFiles(this, filter, paginationToken)
      },
      async searchSpeechModels(filter) {
        return searchModels(this, 'speech', filter)
      },
      async searchDialogueModels(filter) {
        return searchModels(this, 'dialogue', filter)
      },
      async searchTranscriptionModels(filter) {
        return searchModels(this, 'transcription', filter)
      },
      async searchVoiceModels(filter) {
        return searchModels(this, 'voice', filter)
      },
    },
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [await execute(this)]
  }
}
