export default { ssr: false, basename: '/docs/', prerender: ['/'] }
