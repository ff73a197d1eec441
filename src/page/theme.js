// Runs before the first paint: a chosen theme counts more than the system's.
(() => {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();
