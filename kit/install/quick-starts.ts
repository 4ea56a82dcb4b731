import { equal, match, ok } from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from '../hosts/index.ts'
import type { NewProject } from './new-project.ts'
import { scriptedModel } from './scripted-model.ts'

/** A README's quick start, followed as printed. */
export interface QuickStart {
  /** Follows the README. Throws unless it has the promised effect. */
  follow(project: NewProject): Promise<void>
}

/** What the recording says. */
export const SPOKEN = 'The train to the coast leaves at seven in the morning.'

/** A README without a program: what its table says can be imported. */
const IMPORTS_OF_TABLE: QuickStart = {
  async follow({ readme, shell, write }) {
    const [, own = ''] = /^npm install (?<name>\S+)/m.exec(readme) ?? []
    // Tables behind the first heading of a section list files.
    const [table = ''] = readme.split('\n## ')
    // A class stands there as it is called: `new SileroDetector(graph)`.
    const names = Array.from(table.matchAll(/^\| (?<cell>`.+?) \|/gm), ({ groups }) => groups?.['cell'] ?? '').flatMap(
      (cell) => Array.from(cell.matchAll(/`(?:new )?(?<name>[^`(]+)[^`]*`/g), ({ groups }) => groups?.['name'] ?? ''),
    )
    ok(names.length > 0, `the README of ${own} has no table of exports`)
    const isEntry = (name: string): boolean => name.startsWith(own)
    const entries = names.filter(isEntry)
    const exported = names.filter((name) => !isEntry(name))
    const lines = [
      `const modules = await Promise.all(${JSON.stringify([own, ...entries])}.map((entry) => import(entry)))`,
      `for (const name of ${JSON.stringify(exported)}) if (modules[0][name] === undefined) throw new Error('no ' + name)`,
      "console.log('imported', modules.length)",
    ]
    await write('main.js', `${lines.join('\n')}\n`)
    match(await shell('node main.js'), new RegExp(`imported ${entries.length + 1}`))
  },
}

/** Quick starts by package. */
export const QUICK_STARTS: Readonly<Record<string, QuickStart>> = {
  '@svc-audio/core': {
    async follow({ put, shell, folder }) {
      const main = await put('ts')
      match(await shell(`node ${main}`), /train leaves at nine/i)
      ok((await stat(join(folder, 'hello.mp3'))).size > 1000)
    },
  },
  '@svc-audio/text': {
    async follow({ put, shell }) {
      const main = await put('ts')
      match(await shell(`node ${main}`), /See the docs\./)
    },
  },
  '@svc-audio/engines': {
    async follow({ put, shell }) {
      const main = await put('ts')
      match(await shell(`node ${main}`), /^16000 \d+$/m)
    },
  },
  '@svc-audio/engine-espeak-ng': {
    async follow({ put, shell }) {
      const main = await put('ts')
      match(await shell(`node ${main}`), /^22050 \d+$/m)
    },
  },
  '@svc-audio/engine-ports': IMPORTS_OF_TABLE,
  '@svc-audio/engine-openai': IMPORTS_OF_TABLE,
  '@svc-audio/joe-en': IMPORTS_OF_TABLE,
  '@svc-audio/moonshine-en': IMPORTS_OF_TABLE,
  '@svc-audio/onnx-runtime': IMPORTS_OF_TABLE,
  '@svc-audio/pocketsphinx-en': IMPORTS_OF_TABLE,
  '@svc-audio/silero-vad': IMPORTS_OF_TABLE,
  '@svc-audio/campplus': IMPORTS_OF_TABLE,
  '@svc-audio/engine-sherpa-onnx': {
    async follow({ put, shell }) {
      const main = await put('ts')
      // No model comes with the package: the program says which folder it misses.
      const said = await shell(`node ${main} 2>&1 || true`)
      match(said, /models\/vits-piper-en_US-amy-low/)
      match(said, /MissingFilesError/)
    },
  },
  'n8n-nodes-svc-audio': {
    async follow({ write, shell }) {
      const lines = [
        "const { n8n } = require('n8n-nodes-svc-audio/package.json')",
        'for (const path of n8n.nodes) {',
        "  const [Node] = Object.values(require('n8n-nodes-svc-audio/' + path))",
        '  console.log(new Node().description.displayName)',
        '}',
      ]
      await write('main.cjs', `${lines.join('\n')}\n`)
      match(await shell('node main.cjs'), /^Svc Audio\nSvc Audio Trigger$/m)
    },
  },
  '@svc-audio/agent-tools': {
    async follow({ put, shell }) {
      const main = await put('ts')
      match(await shell(`node ${main}`), /Spoken: /)
    },
  },
  '@svc-audio/testing': {
    async follow({ put, shell }) {
      await put('ts')
      match(await shell('npx vitest run'), /1 passed/)
    },
  },
  '@svc-audio/upload': {
    async follow(project) {
      const server = await project.put('ts')
      await project.serve(server, async (url) => {
        match(await transcript(url, project), /train to the coast/)
      })
    },
  },
  '@svc-audio/express-middleware': {
    async follow(project) {
      const app = await project.put('ts')
      await project.serve(app, (url) => transcribesAndSpeaks(url, project))
    },
  },
  '@svc-audio/fastify': {
    async follow(project) {
      const app = await project.put('ts')
      await project.serve(app, (url) => transcribesAndSpeaks(url, project))
    },
  },
  '@svc-audio/hono': {
    async follow(project) {
      await project.put('ts')
      const serve = await project.put('js')
      await project.serve(serve, (url) => transcribesAndSpeaks(url, project))
    },
  },
  '@svc-audio/nestjs': {
    async follow(project) {
      await project.put('ts')
      await project.put('js')
      const [compile = '', run = ''] = project.code('sh', 1).split('\n')
      await project.shell(compile)
      await project.serve(run.replace('node ', ''), async (url) => {
        match(await transcript(`${url}/transcribe`, project), /train to the coast/)
      })
    },
  },
  '@svc-audio/langchain-tools': {
    async follow({ put, shell, folder }) {
      const agent = await put('ts')
      await using model = await scriptedModel({ tool: 'speak', arguments: { text: 'Good morning.' } })
      const said = await shell(`node ${agent}`, { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: model.url })
      match(said, /Spoken: /)
      match(await shell(`ls ${join(folder, 'audio')}`), /audio_/)
    },
  },
  '@svc-audio/voice': {
    async follow({ put, shell, serve }) {
      const server = await put('ts')
      await shell('mkdir -p public')
      await put('html')
      await serve(server, async (url) => {
        match(await (await fetch(url)).text(), /VoiceClient/)
        match(await (await fetch(`${url}/svc-audio-voice/browser/index.js`)).text(), /VoiceClient/)
        match(await firstMessage(url), /"type":"ready"/)
      })
    },
  },
  '@svc-audio/ai-sdk': {
    async follow({ put, shell, folder }) {
      const main = await put('ts')
      match(await shell(`node ${main}`), /hello there/i)
      ok((await stat(join(folder, 'hello.wav'))).size > 1000)
    },
  },
  '@svc-audio/mcp': {
    async follow({ code, write, shell }) {
      const [, check = ''] = /npx @svc-audio\/mcp (.+)/.exec(code('sh')) ?? []
      match(await shell(`npx svc-audio-mcp ${check}`), /Everything works/)
      const [, options = ''] = /"@svc-audio\/mcp", (.+)\]/.exec(code('json')) ?? []
      const messages = [
        call(1, 'initialize', {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'newcomer', version: '1.0.0' },
        }),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        call(2, 'tools/call', { name: 'speak', arguments: { text: 'Good morning.' } }),
      ]
      await write('messages', `${messages.map((message) => JSON.stringify(message)).join('\n')}\n`)
      // The server ends with its input, so the input stays open until the audio is stored.
      const input = '(cat messages; until ls data/svc-audio/audio_* >/dev/null 2>&1; do sleep 0.2; done; sleep 1)'
      const server = `XDG_DATA_HOME="$PWD/data" timeout 120 npx svc-audio-mcp ${options.replaceAll(',', '')}`
      match(await shell(`${input} | ${server}`), /Spoken: /)
    },
  },
  '@svc-audio/vite-plugin': {
    async follow({ put, write, shell }) {
      await put('ts')
      await put('js')
      await write('post.md', '# Trains\n\nThe train leaves at seven.\n')
      await write(
        'index.html',
        '<!doctype html><article id="post"></article><script type="module" src="/main.js"></script>\n',
      )
      await shell('env -u SVC_AUDIO_API_KEY -u SVC_AUDIO_BASE_URL npx vite build')
      match(await shell('ls dist/assets'), /\.mp3$/m)
    },
  },
  'svc-audio': {
    async follow({ code, write, shell }) {
      const lines = code('sh').split('\n')
      const alone = async (command: string): Promise<string> => {
        const line = lines.find((one) => one.startsWith(`npx svc-audio ${command}`)) ?? ''
        return shell(`env -u SVC_AUDIO_API_KEY -u SVC_AUDIO_BASE_URL ${line}`)
      }
      await write('README.md', '# Trains\n\nThe train leaves at seven.\n')
      await alone('speak README.md')
      // The recognizer looks at the bytes, not at the name.
      await shell('cp readme.mp3 talk.mp4')
      match(await alone('transcribe talk.mp4  '), /train leaves/i)
    },
  },
  '@svc-audio/service': {
    async follow({ shell, folder }) {
      const whole = await installedMebibytes(shell)
      ok(whole <= 250, `the service with its engines takes ${whole} MiB`)
      const command = join(folder, 'node_modules/.bin/svc-audio-service')
      const ready = /^ *address +(?<address>\S+)[^]*^ *API key +(?<key>\S+)$/m
      await using service = await start(command, ['--port', '0'], { cwd: folder, ready })
      const { address, key } = service.match.groups ?? {}
      const body = `{"model":"svc-tts-1.5-flash","input":"Hello there.","voice_id":"rms"}`
      const headers = `-H "authorization: Bearer ${key}" -H 'content-type: application/json'`
      await shell(`curl -fsS ${address}/v1/audio/speech ${headers} -d '${body}' -o hello.mp3`)
      ok((await stat(join(folder, 'hello.mp3'))).size > 1000)
      await shell('npm install --omit=optional')
      const lean = await installedMebibytes(shell)
      ok(lean <= 50, `the service without its engines takes ${lean} MiB`)
    },
  },
}

/** Size of what is installed, as `du` counts it. */
async function installedMebibytes(shell: NewProject['shell']): Promise<number> {
  return Number.parseInt(await shell('du -sm node_modules'), 10)
}

/** Starts a voice conversation. @returns the first text of the server */
async function firstMessage(url: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/voice`)
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'start', protocol: 1, format })))
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.addEventListener('message', ({ data }) => resolve(String(data)))
  socket.addEventListener('close', ({ code, reason }) => resolve(`closed with ${code}: ${reason}`))
  const text = await promise
  socket.close()
  return text
}

function call(id: number, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params }
}

/** Sends the recording as a browser does. @returns the body of the response */
async function transcript(url: string, { surroundings }: NewProject): Promise<string> {
  const body = new FormData()
  body.append('file', await openAsBlob(surroundings.recording), 'speech.wav')
  const response = await fetch(url, { method: 'POST', body })
  equal(response.status < 300, true, `${url} responded ${response.status}`)
  return response.text()
}

async function transcribesAndSpeaks(url: string, project: NewProject): Promise<void> {
  match(await transcript(`${url}/transcribe`, project), /train to the coast/)
  match(await transcript(`${url}/transcribe/live`, project), /^data: /m)
  const spoken = await fetch(`${url}/speak`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Good morning.' }),
  })
  match(spoken.headers.get('content-type') ?? '', /^audio\//)
  ok((await spoken.arrayBuffer()).byteLength > 1000)
}
