export default function ({ data }) {
  const before = window.rrWorkbenchPage;
  window.rrWorkbenchPage = data.page;
  if (before && before !== data.page && window.innerWidth < 768) {
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  }
}
