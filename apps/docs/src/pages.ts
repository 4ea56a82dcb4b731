/** A page of the site and where its text is. */
export interface SitePage {
  /** Path of the Markdown file, from the root of the repository. */
  readonly source: string
  /** Address on the site without a leading slash, e.g. `start/express`; `index` is the landing page. */
  readonly route: string
  /** Title in the sidebar. @default the first heading of the page */
  readonly title?: string
  /** Whether the page is read aloud from the committed cache. @default false */
  readonly narrated?: boolean
}

/** A group of the sidebar. */
export interface SiteSection {
  readonly title: string
  readonly pages: readonly SitePage[]
}

const page = (source: string, route: string, title?: string): SitePage =>
  title === undefined ? { source, route } : { source, route, title }

const START: readonly (readonly [name: string, title: string])[] = [
  ['express', 'Express'],
  ['nestjs', 'NestJS'],
  ['fastify', 'Fastify'],
  ['hono', 'Hono'],
  ['nextjs', 'Next.js'],
  ['langchain', 'LangChain'],
  ['voice', 'Voice agents'],
  ['mcp', 'MCP'],
  ['ai-sdk', 'AI SDK'],
  ['n8n', 'n8n'],
  ['vite', 'Vite'],
  ['astro', 'Astro'],
  ['vitepress', 'VitePress'],
  ['workers', 'Cloudflare Workers'],
  ['deno', 'Deno'],
  ['bun', 'Bun'],
  ['browsers', 'Browsers'],
]

/** Order of the packages in the sidebar. Others follow by name. */
const PACKAGES: readonly string[] = [
  'core',
  'text',
  'upload',
  'express-middleware',
  'nestjs',
  'fastify',
  'hono',
  'ai-sdk',
  'langchain-tools',
  'voice',
  'mcp',
  'n8n-nodes',
  'vite-plugin',
  'testing',
  'agent-tools',
  'options',
]

function pagesOfPackage(name: string, files: readonly string[]): readonly SitePage[] {
  const own = files.map((file) => page(`packages/${name}/docs/${file}.md`, `packages/${name}/${file}`))
  return [page(`packages/${name}/README.md`, `packages/${name}/index`), ...own]
}

const ENGINES: SiteSection = {
  title: 'Engines',
  pages: [
    'ports',
    'bundled',
    'onnx-runtime',
    'joe-en',
    'moonshine-en',
    'silero-vad',
    'campplus',
    'pocketsphinx-en',
    'openai',
    'espeak-ng',
    'sherpa-onnx',
  ].map((name) => page(`engines/${name}/README.md`, `engines/${name}`)),
}

/** Folders whose pages are listed by their files. */
export interface PageFolders {
  /** File names without extension in `docs/recipes`. */
  readonly recipes: readonly string[]
  /** File names without extension in `docs/decisions`, without the README. */
  readonly decisions: readonly string[]
  /** Folders of the published packages in `packages`. */
  readonly packages: readonly string[]
  /** File names without extension in `packages/<name>/docs`. */
  readonly packagePages: (name: string) => readonly string[]
}

const SELF_HOSTING: SiteSection = {
  title: 'Self-hosting',
  pages: [
    page('apps/service/README.md', 'self-hosting/index', 'One machine'),
    page('apps/service/docs/configuration.md', 'self-hosting/configuration'),
    page('apps/service/docs/operations.md', 'self-hosting/operations'),
    page('apps/service/docs/container.md', 'self-hosting/container'),
    page('apps/service/docs/systemd.md', 'self-hosting/systemd'),
    page('apps/service/docs/cluster.md', 'self-hosting/cluster'),
    page('apps/service/docs/runbook.md', 'self-hosting/runbook'),
    page('apps/service/docs/api-behaviour.md', 'self-hosting/api-behaviour'),
    page('apps/docs/pages/listen.md', 'listen'),
    page('apps/service/docs/voices-and-engines.md', 'self-hosting/voices-and-engines'),
    page('apps/service/docs/engines.md', 'self-hosting/engines'),
    page('apps/service/docs/which-engine.md', 'self-hosting/which-engine'),
    page('docs/self-hosted-answers.md', 'self-hosting/limits'),
    page('docs/openai-api.md', 'self-hosting/openai-api'),
    page('docs/add-an-engine.md', 'self-hosting/add-an-engine'),
    page('SECURITY.md', 'self-hosting/security'),
  ],
}

const REFERENCE: SiteSection = {
  title: 'Reference',
  pages: [
    page('docs/errors.md', 'errors'),
    page('docs/interface.md', 'interface', 'The HTTP interface'),
    page('apps/docs/pages/performance.md', 'performance'),
    page('docs/faq.md', 'faq'),
    page('docs/releases.md', 'releases', 'Versions and what we promise'),
    page('examples/README.md', 'examples'),
    page('docs/third-party.md', 'third-party'),
  ],
}

const MIGRATION: SiteSection = {
  title: 'Move from',
  pages: [
    page('docs/migrate/openai.md', 'migrate/openai', 'openai'),
    page('docs/migrate/elevenlabs.md', 'migrate/elevenlabs', 'elevenlabs'),
    page('docs/migrate/deepgram.md', 'migrate/deepgram', 'deepgram'),
    page('docs/migrate/assemblyai.md', 'migrate/assemblyai', 'assemblyai'),
  ],
}

/** Every page of the site that has a file, in the order of the sidebar. */
export function siteSections({ recipes, decisions, packages, packagePages }: PageFolders): readonly SiteSection[] {
  return [
    {
      title: 'Start',
      pages: [
        { source: 'apps/docs/pages/index.md', route: 'index', title: 'svc-audio', narrated: true },
        { source: 'docs/start/README.md', route: 'start/index', title: 'A service and a key' },
        page('docs/start/service.md', 'start/service', 'A service of your own'),
        { source: 'docs/concepts.md', route: 'concepts', narrated: true },
        page('docs/frameworks.md', 'frameworks'),
      ],
    },
    {
      title: 'Start by framework',
      pages: START.map(([name, title]) => page(`docs/start/${name}.md`, `start/${name}`, title)),
    },
    { title: 'Guides', pages: recipes.map((name) => page(`docs/recipes/${name}.md`, `guides/${name}`)) },
    MIGRATION,
    {
      title: 'Packages',
      pages: [...new Set([...PACKAGES.filter((name) => packages.includes(name)), ...packages])].flatMap((name) =>
        pagesOfPackage(name, packagePages(name)),
      ),
    },
    SELF_HOSTING,
    ENGINES,
    REFERENCE,
    {
      title: 'Internals',
      pages: [
        page('docs/architecture.md', 'internals/architecture'),
        page('apps/service/docs/architecture.md', 'internals/service', 'Architecture of the service'),
        page('docs/rules.md', 'internals/rules'),
        page('docs/conformance.md', 'internals/conformance'),
        page('apps/conformance/README.md', 'internals/conformance-program', 'The conformance program'),
        page('bench/README.md', 'internals/measurements'),
        page('docs/cluster-simulation.md', 'internals/cluster-simulation'),
        page('docs/add-an-endpoint.md', 'internals/add-an-endpoint'),
        page('docs/style.md', 'internals/style'),
        page('CONTRIBUTING.md', 'internals/contributing'),
        page('docs/contributing-reference.md', 'internals/commands'),
        page('docs/upstream/undici-h2-abort-freeze.md', 'internals/undici-h2-abort-freeze'),
        page('docs/decisions/README.md', 'internals/decisions/index', 'Decisions'),
        ...decisions.map((name) => page(`docs/decisions/${name}.md`, `internals/decisions/${name}`)),
      ],
    },
  ]
}
