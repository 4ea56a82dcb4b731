import type { INodeProperties } from 'n8n-workflow'
import { formatField, modelField, type Show, voiceField } from '../fields.ts'

/** What is spoken, by whom and as what. */
export function speechFields(show: Show): INodeProperties[] {
  return [
    {
      displayName: 'Text',
      name: 'text',
      type: 'string',
      typeOptions: { rows: 4 },
      required: true,
      default: '',
      placeholder: 'e.g. The train leaves at seven.',
      description: 'The text to speak. With the model svc-tts-1.5-flash, [pause 1.5s] is 0.1 to 10 seconds of silence.',
      displayOptions: { show },
    },
    voiceField(show),
    modelField(show, 'searchSpeechModels', 'svc-tts-1.5-flash', 'The model that speaks'),
    formatField(show),
  ]
}
