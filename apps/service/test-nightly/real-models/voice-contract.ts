// Runs the contract of speech engines with a real voice of sherpa-onnx: node voice-contract.ts FAMILY FOLDER RENDITIONS.
// A natural voice says a text with another length each time: RENDITIONS is how often it is said to know its length.
// Prints a line for each fact, and fails if one does not hold.
import { createSherpaSpeech, SPEECH_FAMILIES } from '@svc-audio/engine-sherpa-onnx'
import { speechContract } from '@svc-audio/engine-ports/contract'

const [name, folder = '', renditions] = process.argv.slice(2)
const family = SPEECH_FAMILIES.find((one) => one === name)
if (family === undefined) throw new TypeError(`FAMILY must be one of ${SPEECH_FAMILIES.join(', ')}, got ${name}`)

const subject = {
  create: () => createSherpaSpeech({ family, folder, voices: [{ id: 'voice', language: 'en' }] }),
  text: 'The train to the coast leaves at seven. Please call Stella.',
  unspeakable: '… !',
  renditions: Number(renditions),
}
for (const { name: fact, run } of speechContract) {
  const start = performance.now()
  try {
    await run(subject)
    console.log(`ok   ${family}: ${fact} (${((performance.now() - start) / 1000).toFixed(0)} s)`)
  } catch (error) {
    console.log(`FAIL ${family}: ${fact}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
