import { audioFile, audioReference, outputOf } from '../audio-output.ts'
import { modelField, optionsField, outputFields, textField, voiceField } from '../fields.ts'
import { fileTarget } from '../file-target.ts'
import type { Operation } from '../operation.ts'

const show = { resource: ['voice'], operation: ['sample'] }

/** Every browser plays it, so n8n does too. */
const FORMAT = 'mp3'

/** What a voice says if the user writes nothing else. */
const SAMPLE_TEXT = 'Good morning. The train to the coast leaves at seven.'

/** A short speech of a voice: the service has no recordings of its voices to listen to. */
export const voiceSample: Operation = {
  resource: 'voice',
  operation: 'sample',
  name: 'Speak Sample',
  action: 'Speak sample of voice',
  description: 'Hear a voice before you choose it. The sample is billed like any speech.',
  fields: [
    voiceField(show),
    { ...textField(show, 'What the voice says. Write it in the language of the voice.'), default: SAMPLE_TEXT },
    modelField(show, 'searchSpeechModels', 'svc-tts-1.5-flash', 'The model that speaks'),
    ...outputFields(show),
    optionsField(show),
  ],

  async run(item) {
    const { form } = item
    const voice = form.required('voice')
    const body = {
      model: form.required('model'),
      input: form.required('text'),
      voice_id: voice,
      response_format: FORMAT,
    }
    const { speech } = await item.audio()
    const { json, binary } =
      outputOf(item) === 'url'
        ? await audioReference(item, await speech.createUrl(body, item.billableCall))
        : await audioFile(item, await speech.create(body, item.billableCall), FORMAT, {
            ...fileTarget(item),
            fileName: voice,
          })
    return [{ json: { voiceId: voice, ...json }, ...(binary === undefined ? {} : { binary }) }]
  },
}
