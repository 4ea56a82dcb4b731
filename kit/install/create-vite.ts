import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { output, shellEnvironment, start } from '../hosts/index.ts'
import { readInstallCommand } from '../hosts/install-line.ts'
import { blocksOf } from './start-page.ts'
import { listen } from './visits.ts'

const README = join(import.meta.dirname, '../../packages/vite-plugin/README.md')

/** How long processes may take to end after their build, in milliseconds. */
const END_MS = 60_000

/**
 * `npm create vite` in an empty folder, two installs and three lines of configuration: the built page speaks without an
 * account. Two builds at once do so too, and Ctrl+C in the middle leaves no process.
 * @param env Variables of the registry.
 * @returns what is not so
 * @throws Error with the output of a command that fails
 */
export async function createVite(home: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await mkdir(home)
  const folder = await realpath(home)
  const variables = { ...env, NO_COLOR: '1' }
  await output('npm', ['create', '--yes', 'vite@latest', 'trains', '--', '--template', 'vanilla'], {
    cwd: folder,
    env: variables,
  })
  const site = new Site(join(folder, 'trains'), variables)
  const readme = await readFile(README, 'utf8')
  await output('npm', ['install', '--no-audit', '--no-fund'], site.options)
  await output('npm', ['install', '--no-audit', '--no-fund', ...(readInstallCommand(readme) ?? [])], site.options)
  const config = blocksOf(readme).find(({ language }) => language === 'ts')?.code ?? ''
  await writeFile(join(site.folder, 'vite.config.ts'), config)

  await site.write(['The train to the coast leaves at seven.'])
  const faults = [...(await site.build())]
  if ((await site.hear()) < 1000) faults.push('the built page has no sound')

  const other = new Site(join(folder, 'boats'), variables)
  await cp(site.folder, other.folder, { recursive: true, verbatimSymlinks: true })
  await Promise.all([site.write(['The train is late.']), other.write(['The boat is early.'])])
  faults.push(...(await Promise.all([site.build(), other.build()])).flat())
  for (const one of [site, other]) if ((await one.hear()) < 1000) faults.push(`${one.folder} has no sound`)

  await site.write(Array.from({ length: 30 }, (_, index) => `Sentence number ${index} of a page that takes a while.`))
  return [...faults, ...(await site.interrupt())]
}

/** A project of `npm create vite`. */
class Site {
  readonly folder: string
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.folder = folder
    this.options = { cwd: folder, env }
  }

  /** Puts an article that is read aloud into the page of the template. */
  async write(paragraphs: readonly string[]): Promise<void> {
    const path = join(this.folder, 'index.html')
    const page = (await readFile(path, 'utf8')).replace(/<article[^]*<\/article>/, '')
    const article = `<article data-narrate><h1>Trains</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article>`
    await writeFile(path, page.replace('</body>', `${article}</body>`))
  }

  /** Builds. @returns what is not so afterwards */
  async build(): Promise<readonly string[]> {
    const printed = await output('npm', ['run', 'build'], this.options)
    const starts = printed.match(/^narration: @svc-audio\/service .* speaks on this machine, at http:/gm) ?? []
    return [
      ...(starts.length === 1 ? [] : [`the build starts ${starts.length} services: ${printed}`]),
      ...(await this.#left()),
    ]
  }

  /** Opens the built page, and presses play. @returns bytes of the audio */
  async hear(): Promise<number> {
    // Not through npm, which leaves its program behind when it is stopped.
    await using server = await start('node_modules/.bin/vite', ['preview', '--port', '0'], {
      ...this.options,
      ready: /http:\/\/localhost:\d+/,
    })
    return await listen(server.match[0])
  }

  /** Presses Ctrl+C in the middle of a build: a terminal sends it to each process. @returns what is left */
  async interrupt(): Promise<readonly string[]> {
    const child = spawn('npm', ['run', 'build'], {
      ...this.options,
      env: { ...shellEnvironment(), ...this.options.env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const ended = once(child, 'exit')
    let printed = ''
    const running = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        if (printed.includes('calls to make')) resolve()
      })
    })
    await Promise.race([running, ended.then(() => Promise.reject(new Error(`The build ended: ${printed}`)))])
    const services = await this.#processes()
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await ended
    return [...(services.length > 1 ? [] : ['Ctrl+C came before the service ran']), ...(await this.#left())]
  }

  /** Processes and data that are left a while after the end of a build. */
  async #left(): Promise<readonly string[]> {
    const data = join(this.folder, 'node_modules/.cache/svc-audio-service')
    for (const end = performance.now() + END_MS; ; await sleep(200)) {
      const left = [...(await this.#processes()), ...(await readdir(data).catch(() => []))]
      if (left.length === 0 || performance.now() > end) return left.map((one) => `left: ${one}`)
    }
  }

  /** Processes whose command line names the folder. */
  async #processes(): Promise<readonly string[]> {
    const listed = await output('ps', ['-eo', 'args'], this.options)
    return listed.split('\n').filter((line) => line.includes(`${this.folder}/`))
  }
}
