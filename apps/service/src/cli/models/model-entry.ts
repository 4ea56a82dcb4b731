/** Families of models by what the names of published ones contain. The first that fits counts. */
const FAMILIES: readonly (readonly [part: RegExp, family: string])[] = [
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

const VOICES: ReadonlySet<unknown> = new Set(['piper', 'kokoro', 'matcha', 'vits'])

/** Returns how the file of engines names a model of sherpa-onnx. The family is guessed by the name. */
export function entryFor(name: string): string {
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
