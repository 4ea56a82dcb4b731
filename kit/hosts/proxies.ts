import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, untilListening } from './free-port.ts'

/** A proxy as people deploy it. `nginx` is its default, `nginx-recipe` the settings of the recipe. */
export const PROXIES = ['nginx', 'nginx-recipe', 'haproxy', 'haproxy-close', 'caddy'] as const

/** One of {@link PROXIES}. */
export type ProxyKind = (typeof PROXIES)[number]

/** A running proxy. Dispose it to stop it. */
export interface RunningProxy extends AsyncDisposable {
  readonly url: string
}

interface Configuration {
  readonly program: string
  readonly args: (file: string) => readonly string[]
  readonly text: (folder: string, port: number, target: number) => string
}

const nginx = (location: string, tls?: string): Configuration => ({
  program: 'nginx',
  args: (file) => ['-c', file],
  text: (folder, port, target) => `
daemon off;
error_log stderr warn;
pid ${folder}/pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port}${tls ?? ''};
    location / {
      client_max_body_size 900m;
      ${location}
      proxy_pass http://127.0.0.1:${target};
    }
  }
}
`,
})

const haproxy = (option: string): Configuration => ({
  program: 'haproxy',
  args: (file) => ['-db', '-f', file],
  text: (_folder, port, target) => `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  ${option}
frontend web
  bind 127.0.0.1:${port}
  default_backend app
backend app
  server app 127.0.0.1:${target}
`,
})

const CONFIGURATIONS: Readonly<Record<ProxyKind, Configuration>> = {
  nginx: nginx(''),
  'nginx-recipe': nginx('proxy_request_buffering off; proxy_http_version 1.1; proxy_read_timeout 10m;'),
  haproxy: haproxy(''),
  'haproxy-close': haproxy('option httpclose'),
  caddy: {
    program: 'caddy',
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    text: (_folder, port, target) => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${target}
}
`,
  },
}

/** A key and its certificate for this machine, which nobody else trusts. */
export interface Certificate {
  readonly key: Buffer
  readonly cert: Buffer
}

/** Makes a certificate in a folder: `key.pem` and `cert.pem`. */
export async function certificate(folder: string): Promise<Certificate> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert])
  return { key: await readFile(key), cert: await readFile(cert) }
}

/**
 * Starts nginx with HTTP/2 over TLS, as browsers use it, in front of a port of this machine.
 * @throws Error naming the Debian package of a program that is not installed
 */
export async function startHttp2Proxy(target: number): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-certificate-'))
  await certificate(folder)
  const tls = ` ssl http2; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem`
  const proxy = await run('nginx-http2', nginx('', tls), target)
  return {
    url: proxy.url.replace('http:', 'https:'),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts a proxy in front of a port of this machine.
 * @throws Error naming the Debian package of a proxy that is not installed
 */
export async function startProxy(kind: ProxyKind, target: number): Promise<RunningProxy> {
  return run(kind, CONFIGURATIONS[kind], target)
}

async function run(name: string, { program, args, text }: Configuration, target: number): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), `svc-audio-${name}-`))
  // The workers of nginx run as another user.
  await chmod(folder, 0o777)
  const file = join(folder, 'proxy.conf')
  const port = await freePort()
  await writeFile(file, text(folder, port, target))
  const child = spawn(program, args(file), {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('error', (cause) => {
      reject(new Error(`${program} does not start. Install it: apt-get install ${program}`, { cause }))
    })
    child.once('close', () => reject(new Error(`${program} has ended:\n${printed}`)))
  })
  ended.catch(() => {})
  await Promise.race([untilListening(port), ended])
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended.catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A self-signed certificate of `localhost` and `127.0.0.1` with its key, as PEM. For tests only; valid for a century. */
export const LOCALHOST_CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJ9RIEAs9o1ScocXb
3IYruh5nA2tZCOkcwA9LsdJja8WhRANCAASRD8EnL+Uk0xNV+dKg4Wz3GP8PgtqX
TrOV26k6fT0ULNTTdc+LppVbpCPv8KL2Q63Vk2IDRNLyDRwZYrLSQJIU
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUCDaqc5Zj1tNgybXzJANS4qrC7MUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjEwMzQxMVoYDzIxMjYxMDI5
MTAzNDExWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASRD8EnL+Uk0xNV+dKg4Wz3GP8PgtqXTrOV26k6fT0ULNTTdc+LppVb
pCPv8KL2Q63Vk2IDRNLyDRwZYrLSQJIUo28wbTAdBgNVHQ4EFgQUAm4OqJapKDr9
b5Sp9G7AMB86sAIwHwYDVR0jBBgwFoAUAm4OqJapKDr9b5Sp9G7AMB86sAIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgI0GKJSLwh7kVJFqauj2WrsdHDjDSrLpNzBy/VO8LplkCIQDc
0+AJ3CwXLsM/2q9S2mbLo/GSOQ3Qgaw+qMwgL+Rfjg==
-----END CERTIFICATE-----
`,
}
