/** Families of models by what the names of published ones contain. The first that fits counts. */
const FAMILIES: readonly (readonly [part: RegExp, family: string])[] = [
  [/titanet|wespeaker|3dspeaker|speaker/, 'speaker-embedding'],
  [/piper/, 'piper'],
  [/kokoro/, 'kokoro'],
  [/matcha/, 'matcha'],
  [/vits/, 'vits'],
  [/whisper/, 'whisper'],
  [/moonshine/, 'moonshine'],
  [/sense-?voice/, 'sense-voice'],
  [/parakeet.*ctc|nemo.*ctc/, 'nemo-ctc'],
  [/parakeet|nemo.*transducer/, 'parakeet'],
  [/zipformer.*ctc/, 'zipformer-ctc'],
  [/zipformer|transducer/, 'transducer'],
]

/** Models that an engine which listens names beside its own. The first that fits counts. */
const HELPERS: readonly (readonly [part: RegExp, key: string])[] = [
  [/vad/, 'vad'],
  [/punct/, 'punctuation'],
]

const VOICES: ReadonlySet<unknown> = new Set(['piper', 'kokoro', 'matcha', 'vits'])

/** Returns how the file of engines names a model of sherpa-onnx. The family is guessed by the name. */
export function entryFor(name: string): string {
  const helper = HELPERS.find(([part]) => part.test(name.toLowerCase()))?.[1]
  if (helper !== undefined)
    return `Its line in the entry of an engine that listens, in the file of engines:\n\n    ${helper}: ${name}\n`
  const family = FAMILIES.find(([part]) => part.test(name.toLowerCase()))?.[1]
  const key = name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  const lines = [
    `  ${key === '' ? 'model' : key}:`,
    '    driver: sherpa-onnx',
    `    family: ${family ?? '… # see the page of the package for the families'}`,
    `    model: ${name}`,
    ...(VOICES.has(family) ? ['    voices:', '      - { id: my-voice, language: en }'] : []),
  ]
  return `Its entry in the file of engines:\n\nengines:\n${lines.join('\n')}\n`
}
