// What comes from the server goes into the page as text, never as HTML.
"use strict";

async function get(path) {
  const token = sessionStorage.getItem("token");
  const answer = await fetch(path, { headers: token ? { Authorization: "Bearer " + token } : {} });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

async function show() {
  const problem = document.getElementById("problem");
  try {
    const { models } = await get("/v1/models");
    const rows = await Promise.all(models.map(async (model) => {
      const seen = await get("/v1/models/" + encodeURIComponent(model.name) + "/monitor");
      const percent = (share) => (100 * share).toFixed(1) + " %";
      const cells = [model.name, seen.examples, percent(seen.error), percent(seen.recent_error), model.writable ? "yes" : "no"];
      const row = document.createElement("tr");
      for (const text of cells) row.appendChild(document.createElement("td")).textContent = text;
      return row;
    }));
    document.getElementById("models").replaceChildren(...rows);
    problem.textContent = "";
  } catch (error) {
    problem.textContent = String(error.message);
  }
  setTimeout(show, 1000);
}

show();
