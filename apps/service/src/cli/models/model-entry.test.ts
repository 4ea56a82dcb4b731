import { expect, test } from 'vitest'
import { entryFor } from './models.ts'

test.each([
  ['vits-piper-en_US-amy-low', 'piper'],
  ['kokoro-en-v0_19', 'kokoro'],
  ['sherpa-onnx-whisper-tiny', 'whisper'],
  ['sherpa-onnx-nemo-parakeet-tdt-0.6b-v2', 'parakeet'],
  ['sherpa-onnx-zipformer-ctc-zh', 'zipformer-ctc'],
  ['wespeaker_en_voxceleb_CAM++', 'speaker-embedding'],
  ['nemo_en_titanet_small', 'speaker-embedding'],
])('%s is a model of the family %s', (name, family) => {
  expect(entryFor(name)).toContain(`    family: ${family}\n    model: ${name}\n`)
})

test.each([
  ['silero_vad', 'vad'],
  ['sherpa-onnx-punct-ct-transformer-zh-en-vocab272727-2024-04-12', 'punctuation'],
])('%s is the key %s of another entry', (name, key) => {
  expect(entryFor(name)).toContain(`\n    ${key}: ${name}\n`)
})
