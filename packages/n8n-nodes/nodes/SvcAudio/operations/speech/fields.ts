import type { INodeProperties } from 'n8n-workflow'
import { formatField, modelField, type Show, textField, voiceField } from '../fields.ts'

/** What is spoken, by whom and as what. */
export function speechFields(show: Show): INodeProperties[] {
  return [
    textField(
      show,
      'The text to speak. With the model svc-tts-1.5-flash, [pause 1.5s] is 0.1 to 10 seconds of silence.',
    ),
    voiceField(show),
    modelField(show, 'searchSpeechModels', 'svc-tts-1.5-flash', 'The model that speaks'),
    formatField(show),
  ]
}
