export const Chart = () => <svg width="10" height="10" role="img" aria-label="Chart" />
