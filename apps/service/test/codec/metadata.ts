import type { Launcher } from '../../src/drivers/codec/launcher.ts'
import { runFfmpeg } from '../../src/drivers/codec/ffmpeg-process.ts'
import { collect } from './sound.ts'

/** The value of the key `AIGC` that ffmpeg reads from a file or its audio stream. */
export async function readAigc(launcher: Launcher, inputFile: string): Promise<string | undefined> {
  const args = ['-v', 'error', '-i', launcher.inputUrl(inputFile), '-map', '0:a:0', '-c', 'copy']
  const child = launcher.launch({ args: [...args, '-f', 'ffmetadata', 'pipe:1'], inputFile })
  const { signal } = new AbortController()
  const listing = (await collect(runFfmpeg(child, { signal, timeoutSeconds: 60 }))).toString()
  const escaped = /(?:^|\n)AIGC=((?:\\[^]|[^\\\n])*)/.exec(listing)?.[1]
  return escaped?.replaceAll(/\\([^])/g, '$1')
}
