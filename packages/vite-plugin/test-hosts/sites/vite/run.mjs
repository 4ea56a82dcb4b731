// Builds, watches, serves and renders the site with the Vite beside it; prints one line of JSON for each step.
import { readFile, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { narration } from '@svc-audio/vite-plugin'
import { build, createServer, preview, version } from 'vite'

const root = import.meta.dirname
const options = { voice_id: 'rms', include: '*.md' }
const config = () => ({
  root,
  base: '/docs/',
  configFile: false,
  logLevel: 'error',
  plugins: [narration(options)],
  define: { VERSION: JSON.stringify(version) },
})
const tell = (step, facts = {}) => console.log(JSON.stringify({ step, ...facts }))

tell('version', { version })
await build(config())
tell('build')
await build({ ...config(), build: { ssr: 'main.js', outDir: 'dist-ssr', emitAssets: true } })
const { post } = await import('./dist-ssr/main.js')
tell('ssr', { src: post.src, seconds: post.durationSeconds })

const watcher = await build({ ...config(), build: { watch: {}, outDir: 'dist-watch' } })
const round = () =>
  new Promise((resolve) => {
    const listen = (event) => {
      if (event.code === 'ERROR') throw event.error
      if (event.result) event.result.close()
      if (event.code !== 'END') return
      watcher.off('event', listen)
      resolve()
    }
    watcher.on('event', listen)
  })
const audioOfPage = async () =>
  /<audio src="([^"]*)"/.exec(await readFile(`${root}/dist-watch/index.html`, 'utf8'))?.[1]
await round()
const first = await audioOfPage()
const again = round()
const text = await readFile(`${root}/post.md`, 'utf8')
await writeFile(`${root}/post.md`, `${text}\nA new paragraph.\n`)
await again
const second = await audioOfPage()
await writeFile(`${root}/post.md`, text)
await watcher.close()
tell('watch', { first, second })

const served = await preview({ ...config(), preview: { port: 0, host: '127.0.0.1' } })
// Another cache: what is built is not what is played first in dev.
const dev = await createServer({
  ...config(),
  plugins: [narration({ ...options, cacheDir: 'dev-cache' })],
  server: { port: 0, host: '127.0.0.1' },
})
await dev.listen()
const urlOf = (server) => `http://127.0.0.1:${server.httpServer.address().port}/docs/`
tell('serve', { preview: urlOf(served), dev: urlOf(dev) })
process.stdin.resume()
await once(process.stdin, 'end')
await dev.close()
await served.close()
process.exit(0)
